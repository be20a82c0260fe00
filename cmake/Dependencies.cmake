# The libraries subgame stands on: subgame_dependencies, an interface target that only src/ links, privately.
#
# Plain find_path and find_library instead of pkg-config: they honour CMAKE_PREFIX_PATH for any layout, also for a Debian package
# unpacked into a folder (CMAKE_PREFIX_PATH=<folder>/usr), whose .pc files would name paths outside that folder.

add_library(subgame_dependencies INTERFACE)
set_target_properties(subgame_dependencies PROPERTIES EXPORT_NAME dependencies)

# Looks for a header and libraries; sets <NAME>_FOUND, <NAME>_INCLUDE_DIR and <NAME>_LIBRARY_FILES (absolute) in the caller.
function(subgame_find NAME HEADER)
    set(found TRUE)
    set(files "")
    find_path(${NAME}_INCLUDE_DIR ${HEADER})
    if(NOT ${NAME}_INCLUDE_DIR)
        set(found FALSE)
    endif()
    foreach(library IN LISTS ARGN)
        find_library(${NAME}_${library}_LIBRARY ${library})
        if(${NAME}_${library}_LIBRARY)
            list(APPEND files ${${NAME}_${library}_LIBRARY})
        else()
            set(found FALSE)
        endif()
        mark_as_advanced(${NAME}_${library}_LIBRARY)
    endforeach()
    mark_as_advanced(${NAME}_INCLUDE_DIR)
    set(${NAME}_FOUND ${found} PARENT_SCOPE)
    set(${NAME}_LIBRARY_FILES ${files} PARENT_SCOPE)
endfunction()

# Adds what subgame_find found to subgame_dependencies. The build links the files found; an installed package names them by -l.
function(subgame_link NAME)
    target_include_directories(subgame_dependencies SYSTEM INTERFACE $<BUILD_INTERFACE:${${NAME}_INCLUDE_DIR}>)
    foreach(library IN LISTS ARGN)
        target_link_libraries(subgame_dependencies INTERFACE $<BUILD_INTERFACE:${${NAME}_${library}_LIBRARY}>
                                                             $<INSTALL_INTERFACE:${library}>)
        list(APPEND private_libraries "-l${library}")
    endforeach()
    list(GET ${NAME}_LIBRARY_FILES 0 first)
    message(STATUS "Found ${NAME}: ${first}")
    set(SUBGAME_PRIVATE_LIBRARIES ${SUBGAME_PRIVATE_LIBRARIES} ${private_libraries} PARENT_SCOPE)
endfunction()

function(subgame_require NAME HEADER DEBIAN_PACKAGE)
    subgame_find(${NAME} ${HEADER} ${ARGN})
    if(NOT ${NAME}_FOUND)
        message(FATAL_ERROR "${NAME} was not found. On Debian and Ubuntu: apt-get install ${DEBIAN_PACKAGE} "
                            "(or `make deps`); elsewhere set CMAKE_PREFIX_PATH to the prefix that holds it.")
    endif()
    subgame_link(${NAME} ${ARGN})
    set(SUBGAME_PRIVATE_LIBRARIES ${SUBGAME_PRIVATE_LIBRARIES} PARENT_SCOPE)
endfunction()

subgame_require(XXHASH xxhash.h libxxhash-dev xxhash)
subgame_require(GMP gmp.h libgmp-dev gmp)

# FFTW 3 is what tests compare our transforms with, the baseline of a benchmark, and the emulated device's cuFFT. It is GPL and no
# part of the library or the command: its target is for those alone.
set(SUBGAME_HAVE_FFTW 0)
set(fftw_libraries fftw3_threads fftw3 fftw3f_threads fftw3f)
if(NOT SUBGAME_FFTW MATCHES "^(AUTO|ON|OFF)$")
    message(FATAL_ERROR "SUBGAME_FFTW=${SUBGAME_FFTW}: expected AUTO, ON or OFF")
elseif(NOT SUBGAME_FFTW STREQUAL "OFF")
    subgame_find(FFTW fftw3.h ${fftw_libraries})
    if(FFTW_FOUND)
        list(GET FFTW_LIBRARY_FILES 0 first)
        message(STATUS "Found FFTW: ${first}")
        set(SUBGAME_HAVE_FFTW 1)
        add_library(subgame_fftw INTERFACE)
        target_include_directories(subgame_fftw SYSTEM INTERFACE ${FFTW_INCLUDE_DIR})
        target_link_libraries(subgame_fftw INTERFACE ${FFTW_LIBRARY_FILES})
    elseif(SUBGAME_FFTW STREQUAL "ON")
        message(FATAL_ERROR "FFTW 3 (single and double precision, with threads) was not found. On Debian and Ubuntu: "
                            "apt-get install libfftw3-dev (or `make deps`); or configure with SUBGAME_FFTW=OFF.")
    else()
        message(STATUS "FFTW was not found (Debian: libfftw3-dev): built without the comparisons with it")
    endif()
endif()

find_package(OpenMP COMPONENTS C)
if(NOT OpenMP_C_FOUND)
    message(FATAL_ERROR "OpenMP for C was not found. gcc brings it; for clang on Debian and Ubuntu: apt-get install libomp-dev.")
endif()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
target_link_libraries(subgame_dependencies INTERFACE OpenMP::OpenMP_C Threads::Threads m)
list(APPEND SUBGAME_PRIVATE_LIBRARIES ${OpenMP_C_FLAGS} -pthread -lm)

if(SUBGAME_TESTS)
    find_package(GTest)
    if(NOT GTest_FOUND)
        message(FATAL_ERROR "GoogleTest was not found. On Debian and Ubuntu: apt-get install libgtest-dev (or `make deps`); "
                            "or configure with SUBGAME_TESTS=OFF.")
    endif()
    message(STATUS "Found GoogleTest: ${GTest_VERSION}")
endif()
