/** Sets the commit status that shows the problems of a pull request on the host. */
import type { CommitStatus } from '../../hosts/index.js'
import { type PullPreviewDoc, pullPreviews } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { lineOf } from '../revisions/new-problems.js'
import type { HostContact } from '../connections/host-contact.js'
import { connectionAddress, contentAddress } from '../context/app-addresses.js'

/** Maximum length of a description that hosts accept, in characters. */
const MAX_DESCRIPTION = 140
const ID_PART = 8

/**
 * Returns the status context. It contains the connection, so that the statuses of two connections to one repository do
 * not replace each other.
 */
const contextOf = (connection: string): string => `bindery/preview/${connection.slice(0, ID_PART)}`

/** Builds the status for a preview. */
function statusOf(
  { app, through }: Pick<HostContact, 'app' | 'through'>,
  doc: PullPreviewDoc,
): CommitStatus & { state: 'success' | 'failure' } {
  const targetUrl =
    doc.revision === undefined
      ? connectionAddress(app, doc.space)
      : contentAddress(app, doc.space, { revision: doc.revision })
  const { failing, all } = doc.counts
  const failed = doc.state === 'refused' || failing > 0
  return {
    state: failed ? 'failure' : 'success',
    context: contextOf(through.id),
    description: wordsOf(doc, failing, all).slice(0, MAX_DESCRIPTION),
    targetUrl,
  }
}

function wordsOf({ state, message, problems }: PullPreviewDoc, failing: number, all: number): string {
  if (state === 'refused') return message ?? 'The content cannot be shown.'
  const [first] = problems
  if (!first) return 'The preview is ready. No new problems.'
  const count = failing > 0 ? failing : all
  const words = failing > 0 ? (count === 1 ? 'problem' : 'problems') : count === 1 ? 'remark' : 'remarks'
  // Some messages start with the file, so do not repeat it.
  const told = first.file !== undefined && first.message.startsWith(first.file) ? first.message : lineOf(first)
  return `${count} new ${words}: ${told}`
}

/** Whether the host already has the right status. */
export const hasStatus = (look: Pick<HostContact, 'app' | 'through'>, doc: PullPreviewDoc): boolean => {
  const { state, description } = statusOf(look, doc)
  return (
    doc.commit === undefined ||
    (doc.status?.commit === doc.commit && doc.status.state === state && doc.status.description === description)
  )
}

/** Sets the status of the commit of the preview. Setting it twice has the same effect as once. Throws `HostError`. */
export async function setStatus(look: HostContact, doc: Document<PullPreviewDoc>): Promise<void> {
  const { commit } = doc
  if (commit === undefined || hasStatus(look, doc)) return
  const status = statusOf(look, doc)
  await look.host.setStatus(commit, status)
  await look.app.store.transact(async (tx) => {
    const stored = await tx.get(pullPreviews, doc.id)
    const { state, description } = status
    if (stored)
      await tx.replace(pullPreviews, {
        ...stored,
        status: { commit, state, description, at: look.app.clock.now().toISOString() },
      })
  })
}
