// Lists of requests, in order of arrival.
#include "rpc/requests.h"

void app_request_list_append(AppRequestList *list, AppRequest *request) {
    request->previous = list->last;
    if (list->last)
        list->last->next = request;
    else
        list->first = request;
    list->last = request;
}

void app_request_list_remove(AppRequestList *list, AppRequest *request) {
    if (request->previous)
        request->previous->next = request->next;
    else
        list->first = request->next;
    if (request->next)
        request->next->previous = request->previous;
    else
        list->last = request->previous;
    request->next = request->previous = NULL;
}

void app_request_list_cancel(void *list, AppRequest *request) {
    app_request_list_remove(list, request);
}
