/** Reports a change request to the client of a push. */
import type { Push } from './push-request.js'

/** Writes the event of a change request and its URL to the client's output. */
export function tell({ app, space, say }: Push, what: string, id: string): void {
  say(`${what}:`)
  say(`  ${app.settings.publicUrl}/v1/spaces/${space.doc.id}/change-requests/${id}`)
}
