/** A note in a change request with a link to its conflicts. */
import { api, body } from '../api/client.js'
import { useData } from '../api/data.js'
import { Note } from '../shell/notes.js'
import { plural } from '../words/index.js'
import { hostName } from './names.js'
import { conflictWords } from './words.js'

/** Shows how many files are in conflict and a link to resolve them. Shows nothing if there are none. */
export function ConflictEntry({ spaceId, number }: { spaceId: string; number: string }) {
  const w = conflictWords()
  const state = useData(`space/${spaceId}/c/${number}/conflict-state`, () =>
    body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflict-state', {
        params: { path: { spaceId, changeRequestId: number } },
      }),
    ),
  ).value
  if (!state || state.count === 0) return null
  return (
    <div class="entry-note">
      <Note
        tone="wait"
        actions={
          <a class="btn small" href={`/s/${spaceId}/c/${number}/conflicts/1`}>
            {w.resolve}
          </a>
        }
      >
        <p>
          {state.host === undefined
            ? plural(w.entry, state.count)
            : plural(w.entrySync, state.count, { host: hostName(state.host) })}
        </p>
      </Note>
    </div>
  )
}
