/** The words about a change request that whoever pushes sees. */
import type { Push } from './push-request.js'

/** Says what happened to a change request, and where it is. */
export function tell({ app, space, say }: Push, what: string, id: string): void {
  say(`${what}:`)
  say(`  ${app.settings.publicUrl}/v1/spaces/${space.doc.id}/change-requests/${id}`)
}
