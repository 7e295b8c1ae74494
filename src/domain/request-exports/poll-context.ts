/** The context of an export's poll: its change request, its connection, and the host. */
import type { CommitId, RefName } from '../../kernel/ids.js'
import {
  type ChangeRequestDoc,
  changeRequests,
  connections,
  type ExportedRevision,
  type RequestExportDoc,
  requestExports,
  spaces,
  users,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { contactHost, type HostContact } from '../connections/host-contact.js'
import type { App } from '../context/app.js'
import { loadHead } from '../context/loaded.js'
import { SyncFailure } from '../git-sync/failure.js'

/** Maximum number of earlier exported revisions that are stored. */
const MAX_EARLIER = 20

/** An export in progress. */
export interface Export extends HostContact {
  doc: Document<RequestExportDoc>
  request: Document<ChangeRequestDoc>
  /** The head of the change request. */
  head: CommitId
  /** The branch on the host. */
  branch: RefName
}

/** The export has ended permanently. The message is the reason. */
export class ExportOver extends Error {}

/** Opens an export. Null if its space was deleted. Throws `ExportOver`, `SyncFailure`, `HostError`. */
export async function openExport(
  app: App,
  doc: Document<RequestExportDoc>,
  signal: AbortSignal,
): Promise<Export | null> {
  const space = await app.store.get(spaces, doc.space)
  const request = await app.store.get(changeRequests, doc.id)
  if (!space || space.deletedAt !== undefined || !request) return null
  const through = await app.store.get(connections, doc.connection)
  if (through?.key !== doc.key)
    throw new ExportOver(
      'The connection was deleted or now points to another repository. The pull request on the host is not changed.',
    )
  if (through.paused) throw new SyncFailure('The connection is paused. Resume it to continue.')
  if (!through.pullRequests.changeRequests)
    throw new SyncFailure(
      'The connection no longer exports change requests. Set its pullRequests.changeRequests to continue.',
    )
  const user = await app.store.get(users, doc.requestedBy)
  if (!user) throw new ExportOver('The user who exported it was removed.')
  const contact = await contactHost(app, through, { space, role: 'admin', user }, signal)
  return { ...contact, doc, request, head: loadHead(contact.space, request).head, branch: doc.branch }
}

/** Changes the stored export and returns it. The change stays recorded if the poll fails later. */
export async function record(
  all: Pick<Export, 'app' | 'doc'>,
  change: (doc: Document<RequestExportDoc>) => Document<RequestExportDoc>,
): Promise<Document<RequestExportDoc>> {
  return all.app.store.transact(async (tx) => {
    const stored = await tx.get(requestExports, all.doc.id)
    if (!stored) throw new ExportOver('The export was removed.')
    return tx.replace(requestExports, change(stored))
  })
}

/**
 * Returns the export with a new value of `pushed`. The previous value is kept, since the pull request may have been
 * merged before the new one arrived.
 */
export function withPushed<Doc extends RequestExportDoc>(doc: Doc, pushed: ExportedRevision): Doc {
  const earlier = [...(doc.pushed ? [doc.pushed] : []), ...(doc.earlier ?? [])].filter(
    ({ commit }) => commit !== pushed.commit,
  )
  return { ...doc, pushed, earlier: earlier.slice(0, MAX_EARLIER) }
}
