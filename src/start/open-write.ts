/** Opens the requests that may change data: their checks, and their entry in the audit log. */
import type { OpenWrite } from '../api/pipeline/options.js'
import { checkStillMay } from '../api/service.js'
import type { Actor } from '../domain/context/actor.js'
import type { App } from '../domain/context/app.js'
import { guardedApp } from '../domain/context/guarded-app.js'
import { RequestEntry } from '../domain/events/request-entry.js'
import type { AuditedRequest } from '../model/index.js'

/** Opens a request. `isAudited` = the audit log records it. */
export function openWrite(app: App, request: AuditedRequest<Actor>, isAudited = true): OpenWrite<App> {
  const { actor } = request
  const entry = isAudited ? new RequestEntry(app, request) : null
  return {
    guard: (permission, resources) =>
      guardedApp(app, {
        entry,
        stillMay: async (reader) => {
          if (actor) await checkStillMay(reader, actor, permission, resources)
        },
      }),
    finish: async (result) => entry?.finish(result),
  }
}
