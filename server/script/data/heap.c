// Blocks in a list, so that a state that was stopped anywhere can be thrown away.
#include "data/heap.h"

#include <lua.h>
#include <stdlib.h>

typedef struct ScriptBlock {
    struct ScriptBlock *next, **previous;
    _Alignas(max_align_t) unsigned char bytes[];
} Block;

static void unlink_block(Block *block);
static Block *block_of(void *memory);
static const char *objection(const ScriptHeap *heap, const void *memory, size_t old_size, size_t new_size);
static void *refuse(ScriptHeap *heap, const char *what);
static void link_block(ScriptHeap *heap, Block *block);

void *script_heap_allocate(void *context, void *memory, size_t old_size, size_t new_size) {
    ScriptHeap *heap = context;
    if (!new_size) {
        if (!memory) return NULL;
        unlink_block(block_of(memory));
        free(block_of(memory));
        heap->bytes -= old_size;
        return NULL;
    }
    const char *wrong = objection(heap, memory, old_size, new_size);
    if (wrong) return refuse(heap, wrong);
    Block *block = memory ? block_of(memory) : NULL;
    if (block) unlink_block(block);
    Block *grown = realloc(block, sizeof(Block) + new_size);
    if (!grown) {
        if (block) link_block(heap, block);
        return refuse(heap, "the system has no more memory");
    }
    link_block(heap, grown);
    heap->bytes += new_size - (memory ? old_size : 0);
    return grown->bytes;
}

bool script_heap_charge(ScriptHeap *heap, size_t bytes) {
    if (bytes > heap->limit || heap->bytes > heap->limit - bytes) return false;
    heap->bytes += bytes;
    return true;
}

void script_heap_discharge(ScriptHeap *heap, size_t bytes) {
    heap->bytes -= bytes;
}

void script_heap_own(ScriptHeap *heap, ScriptResource *resource, void (*finish)(ScriptResource *resource)) {
    *resource = (ScriptResource){heap->resources, &heap->resources, finish};
    if (resource->next) resource->next->previous = &resource->next;
    heap->resources = resource;
}

void script_heap_finish_resource(ScriptResource *resource) {
    if (!resource->previous) return;
    *resource->previous = resource->next;
    if (resource->next) resource->next->previous = resource->previous;
    resource->previous = NULL;
    resource->finish(resource);
}

void script_heap_finish(ScriptHeap *heap) {
    while (heap->resources) script_heap_finish_resource(heap->resources);
    while (heap->blocks) {
        Block *block = heap->blocks;
        heap->blocks = block->next;
        free(block);
    }
    heap->bytes = 0;
}

static void unlink_block(Block *block) {
    *block->previous = block->next;
    if (block->next) block->next->previous = block->previous;
}

static Block *block_of(void *memory) {
    return (Block *)(void *)((unsigned char *)memory - offsetof(Block, bytes));
}

// What is wrong with a block of that size, or NULL. Lua tells the kind of a new one in place of its old size.
static const char *objection(const ScriptHeap *heap, const void *memory, size_t old_size, size_t new_size) {
    const size_t held = memory ? old_size : 0;
    if (new_size <= held) return NULL;
    if (!memory && old_size == LUA_TSTRING && new_size > SCRIPT_LARGEST_STRING)
        return "a string of more than 2 MiB";
    if (new_size > SCRIPT_LARGEST_BLOCK) return "a table or text of more than 16 MiB";
    return heap->bytes + (new_size - held) > heap->limit ? "its memory is used up" : NULL;
}

static void *refuse(ScriptHeap *heap, const char *what) {
    heap->exhausted(heap->context, what);
    return NULL; // only while the state is made: Lua then gives up as a whole
}

static void link_block(ScriptHeap *heap, Block *block) {
    block->next = heap->blocks;
    block->previous = &heap->blocks;
    if (block->next) block->next->previous = &block->next;
    heap->blocks = block;
}
