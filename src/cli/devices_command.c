/* A missing GPU is an answer here and not a failure: only a run that asks for one fails without. */
#include "devices_command.h"

#include "json.h"
#include "print.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_MAX_BYTES = 200, REASON_BYTES = 1024 };

typedef struct device_entry {
    sg_backend backend;
    uint32_t index;
    sg_device_info info;
    char unusable[REASON_BYTES]; /* why it cannot be looked at; "" when it can, and `info` is set */
} device_entry;

typedef struct device_list {
    device_entry *entries;
    size_t count;
    char cuda_unusable[REASON_BYTES]; /* why there is no CUDA device; "" when there is one */
} device_list;

static void keep_reason(const sg_context *context, char reason[REASON_BYTES]) {
    snprintf(reason, REASON_BYTES, "%s", sg_last_error(context));
}

static exit_status add_device(sg_context *context, sg_backend backend, uint32_t index, device_list *list) {
    device_entry *entry = &list->entries[list->count];
    *entry = (device_entry){.backend = backend, .index = index, .info = {.struct_size = sizeof entry->info}};
    sg_status status = sg_device_get_info(context, backend, index, &entry->info);
    if (status == SG_ERROR_BACKEND)
        keep_reason(context, entry->unusable);
    else if (status != SG_OK)
        return fail_library(context, status);
    list->count++;
    return EXIT_DONE;
}

/* The CPU, and every CUDA device or why there is none. */
static exit_status list_devices(sg_context *context, device_list *list) {
    uint32_t cuda_count = 0;
    sg_status counted = sg_device_count(context, SG_BACKEND_CUDA, &cuda_count);
    if (counted == SG_ERROR_BACKEND)
        keep_reason(context, list->cuda_unusable);
    else if (counted != SG_OK)
        return fail_library(context, counted);
    list->entries = calloc((size_t)cuda_count + 1, sizeof *list->entries);
    if (list->entries == NULL)
        return fail("out of memory");
    exit_status status = add_device(context, SG_BACKEND_CPU, 0, list);
    for (uint32_t index = 0; index < cuda_count && status == EXIT_DONE; index++)
        status = add_device(context, SG_BACKEND_CUDA, index, list);
    return status;
}

static void print_entry(const device_entry *entry, sink *out) {
    const sg_device_info *info = &entry->info;
    char text[NUMBER_TEXT_BYTES], other[NUMBER_TEXT_BYTES], label[NUMBER_TEXT_BYTES];
    snprintf(label, sizeof label, "%s %u", sg_backend_name(entry->backend), entry->index);
    print_label(out, entry->backend == SG_BACKEND_CPU ? "cpu" : label);
    if (entry->unusable[0] != '\0') {
        sink_text(out, "not usable: ");
        print_foreign(out, entry->unusable, REASON_BYTES);
        sink_char(out, '\n');
        return;
    }
    print_foreign(out, info->name, NAME_MAX_BYTES);
    if (entry->backend == SG_BACKEND_CUDA)
        sink_format(out, ", compute capability %u.%u", info->capability_major, info->capability_minor);
    sink_format(out, ", %s %s%s", grouped_text(info->processors, text),
                entry->backend == SG_BACKEND_CUDA ? "multiprocessor" : "hardware thread",
                info->processors == 1 ? "" : "s");
    sink_format(out, ", %s of memory, %s free\n", bytes_text(info->memory_bytes, text),
                bytes_text(info->free_bytes, other));
}

static void print_list(const device_list *list, sink *out) {
    for (size_t i = 0; i < list->count; i++)
        print_entry(&list->entries[i], out);
    if (list->cuda_unusable[0] != '\0') {
        print_label(out, "no GPU");
        print_foreign(out, list->cuda_unusable, REASON_BYTES);
        sink_char(out, '\n');
    }
}

static void write_entry(json *writer, const device_entry *entry) {
    const sg_device_info *info = &entry->info;
    char capability[NUMBER_TEXT_BYTES];
    json_item(writer);
    json_text(writer, "backend", sg_backend_name(entry->backend));
    json_number(writer, "index", entry->index);
    if (entry->unusable[0] != '\0') {
        json_text(writer, "unusable", entry->unusable);
    } else {
        json_text(writer, "name", info->name);
        if (entry->backend == SG_BACKEND_CUDA) {
            snprintf(capability, sizeof capability, "%u.%u", info->capability_major, info->capability_minor);
            json_text(writer, "compute_capability", capability);
        }
        json_number(writer, "processors", info->processors);
        json_number(writer, "memory_bytes", info->memory_bytes);
        json_number(writer, "free_bytes", info->free_bytes);
    }
    json_object_end(writer);
}

static void write_list(const device_list *list, sink *out) {
    json writer;
    json_begin(&writer, out);
    json_text(&writer, "schema", "subgame/1");
    json_text(&writer, "version", sg_version());
    json_text(&writer, "mode", "devices");
    json_array(&writer, "devices");
    for (size_t i = 0; i < list->count; i++)
        write_entry(&writer, &list->entries[i]);
    json_array_end(&writer);
    json_text(&writer, "cuda_unusable", list->cuda_unusable[0] != '\0' ? list->cuda_unusable : NULL);
    json_end(&writer);
}

exit_status devices_command(sg_context *context, const cli_options *options) {
    static sink console;
    device_list list = {0};
    exit_status status = list_devices(context, &list);
    if (status == EXIT_DONE) {
        sink_open_stdout(&console);
        if (options->json)
            write_list(&list, &console);
        else if (!options->quiet)
            print_list(&list, &console);
        status = sink_close(&console);
    }
    free(list.entries);
    return status;
}
