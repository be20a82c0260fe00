// The pointers that a kernel is given, those in structures too: host memory is in reach of every thread here, so a
// pointer to it would only be missed on a device.
//
// C++ cannot list the members of a structure, but it can count with how many values one can be initialised, and give
// each member a name. A structure that cannot be taken apart so, because it has more than MOST_MEMBERS members or an
// array among them, does not compile. Not looked into: what is no aggregate, and pointers that lie in device memory.
#ifndef EMU_KERNEL_ARGUMENTS_H
#define EMU_KERNEL_ARGUMENTS_H

#include <cstddef>
#include <type_traits>
#include <utility>

namespace emu {

constexpr std::size_t MOST_MEMBERS = 8;

struct AnyValue { // of any member
    template <class T> operator T() const;
};

template <class T, class Indices, class = void> struct TakesValues : std::false_type {};
template <class T, std::size_t... I>
struct TakesValues<T, std::index_sequence<I...>, std::void_t<decltype(T{(static_cast<void>(I), AnyValue())...})>>
    : std::true_type {};

template <class T, std::size_t least = 0> constexpr std::size_t member_count() {
    if constexpr (TakesValues<T, std::make_index_sequence<least + 1>>::value)
        return member_count<T, least + 1>();
    else
        return least;
}

template <class Note, class... Members> inline void note_pointers_in(const Note &note, const Members &...members);

// Calls note(const void *) for an argument that is a pointer, or for each pointer in it.
template <class Note, class T> inline void note_pointers(const Note &note, const T &value) {
    if constexpr (std::is_pointer_v<T>) {
        note(static_cast<const void *>(value));
    } else if constexpr (std::is_class_v<T> && std::is_aggregate_v<T> && !std::is_empty_v<T>) {
        constexpr std::size_t count = member_count<T>();
        static_assert(count <= MOST_MEMBERS, "too many members to look for pointers in a kernel's argument");
        if constexpr (count == 1) {
            const auto &[a] = value;
            note_pointers_in(note, a);
        } else if constexpr (count == 2) {
            const auto &[a, b] = value;
            note_pointers_in(note, a, b);
        } else if constexpr (count == 3) {
            const auto &[a, b, c] = value;
            note_pointers_in(note, a, b, c);
        } else if constexpr (count == 4) {
            const auto &[a, b, c, d] = value;
            note_pointers_in(note, a, b, c, d);
        } else if constexpr (count == 5) {
            const auto &[a, b, c, d, e] = value;
            note_pointers_in(note, a, b, c, d, e);
        } else if constexpr (count == 6) {
            const auto &[a, b, c, d, e, f] = value;
            note_pointers_in(note, a, b, c, d, e, f);
        } else if constexpr (count == 7) {
            const auto &[a, b, c, d, e, f, g] = value;
            note_pointers_in(note, a, b, c, d, e, f, g);
        } else {
            const auto &[a, b, c, d, e, f, g, h] = value;
            note_pointers_in(note, a, b, c, d, e, f, g, h);
        }
    }
}

template <class Note, class... Members> inline void note_pointers_in(const Note &note, const Members &...members) {
    (note_pointers(note, members), ...);
}

} // namespace emu

#endif
