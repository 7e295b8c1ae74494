/** Quotas of organizations, which the operator sets: spaces, members, files, and bytes of repositories and Git LFS files. */
import { PackTooLarge, type RefMove, type Repository } from '../../git/index.js'
import { ServiceError } from '../../kernel/errors.js'
import { memberships, organizations, type QuotaName, type Quotas, spaces } from '../../model/index.js'
import type { CommitId } from '../../kernel/ids.js'
import type { Reader } from '../../store/index.js'
import type { App } from './app.js'
import { countFiles } from './file-count.js'
import { measured, type Quantity } from './measures.js'

/** Number of bytes that a push or fetch may bring to an organization without room, so that it can delete content. */
const MIN_PACK_BYTES = 1024 * 1024
/** Maximum number of changed files whose sizes are compared to find out whether a move only deletes. */
const MAX_COMPARED = 1_000

const REMEDIES: Record<QuotaName, string> = {
  spaces: 'Delete a space',
  members: 'Remove a member',
  files: 'Delete files or a space',
  bytes: 'Delete a space and remove it for good',
}

/** Thrown with status 409 if a change would exceed a quota of the organization. */
export class QuotaExceeded extends ServiceError {
  /** @param more the number that the change would add, if it is known */
  constructor(
    organization: string,
    quota: QuotaName,
    { used, allowed, more }: { used: number; allowed: number; more?: number },
  ) {
    const use = `${used} of at most ${allowed} ${quota}`
    const added = more === undefined ? '' : `, and this would add ${more}`
    super(
      'conflict',
      `The organization has ${use}${added}. ${REMEDIES[quota]}, or ask an operator of the server for a higher limit ` +
        `(\`bindery org quota ${organization} --${quota} <number>\`).`,
      { details: [{ path: `/quotas/${quota}`, message: use }] },
    )
  }
}

/** Returns the limits of an organization; 0 = no limit. */
export const quotasOf = async (reader: Reader, defaults: Quotas, organization: string): Promise<Quotas> => ({
  ...defaults,
  ...(await reader.get(organizations, organization))?.quotas,
})

/** Returns the number of spaces of an organization, without deleted ones. */
export const countSpaces = async (reader: Reader, organization: string): Promise<number> =>
  (await reader.find(spaces, 'organization', organization)).filter(({ deletedAt }) => deletedAt === undefined).length

/** Returns the use and the limit of each quota of an organization. `allowed`: null = no limit. */
export async function usageOf(
  app: App,
  organization: string,
): Promise<Record<QuotaName, { used: number; allowed: number | null }>> {
  const limits = await quotasOf(app.store, app.settings.quotas, organization)
  const used: Quotas = {
    spaces: await countSpaces(app.store, organization),
    members: await app.store.count(memberships, 'organization', organization),
    files: (await measured(app, organization, 'files')).total,
    bytes: (await measured(app, organization, 'bytes')).total,
  }
  const one = (name: QuotaName) => ({ used: used[name], allowed: limits[name] === 0 ? null : limits[name] })
  return { spaces: one('spaces'), members: one('members'), files: one('files'), bytes: one('bytes') }
}

/** Throws 409 if the organization may not have this number of additional spaces. Deleted spaces do not count. */
export async function checkSpaceQuota(
  reader: Reader,
  defaults: Quotas,
  organization: string,
  adding = 1,
): Promise<void> {
  const { spaces: allowed } = await quotasOf(reader, defaults, organization)
  if (allowed === 0) return
  const used = await countSpaces(reader, organization)
  if (used + adding > allowed)
    throw new QuotaExceeded(organization, 'spaces', { used, allowed, ...(adding > 1 ? { more: adding } : {}) })
}

/** Throws 409 if the organization may not have another member. */
export async function checkMemberQuota(reader: Reader, defaults: Quotas, organization: string): Promise<void> {
  const { members: allowed } = await quotasOf(reader, defaults, organization)
  if (allowed === 0) return
  const used = await reader.count(memberships, 'organization', organization)
  if (used >= allowed) throw new QuotaExceeded(organization, 'members', { used, allowed })
}

/** Throws 409 if the organization has reached its limit of bytes, or would exceed it with `more` bytes. */
export async function checkByteQuota(app: App, organization: string, more = 0): Promise<void> {
  const { bytes: allowed } = await quotasOf(app.store, app.settings.quotas, organization)
  if (allowed === 0) return
  const { total: used } = await measured(app, organization, 'bytes')
  if (used >= allowed || used + more > allowed)
    throw new QuotaExceeded(organization, 'bytes', { used, allowed, ...(more > 0 ? { more } : {}) })
}

/** Returns the number of bytes that the organization may still add; `Infinity` if there is no limit. */
export async function bytesLeft(app: App, organization: string): Promise<number> {
  const { bytes: allowed } = await quotasOf(app.store, app.settings.quotas, organization)
  if (allowed === 0) return Number.POSITIVE_INFINITY
  return Math.max(0, allowed - (await measured(app, organization, 'bytes')).total)
}

/**
 * Runs a push or fetch with the number of bytes that it may bring. An organization without room may still receive a
 * small one, which can delete content or belong to an export. Throws `PackTooLarge` with the quota.
 */
export async function withPackLimit<T>(
  app: App,
  organization: string,
  work: (maxPackBytes: number) => Promise<T>,
): Promise<T> {
  const left = Math.max(MIN_PACK_BYTES, await bytesLeft(app, organization))
  if (left >= app.settings.maxPackBytes) return work(app.settings.maxPackBytes)
  try {
    return await work(left)
  } catch (error) {
    if (!(error instanceof PackTooLarge)) throw error
    const { bytes: allowed } = await quotasOf(app.store, app.settings.quotas, organization)
    const { total: used } = await measured(app, organization, 'bytes')
    const { message } = new QuotaExceeded(organization, 'bytes', { used, allowed })
    throw new PackTooLarge(`This would bring more than ${left} bytes. ${message}`)
  }
}

/** Throws 409 if the organization would exceed its limit of files with `more` files. */
export async function checkFileQuota(app: App, organization: string, more: number): Promise<void> {
  const { files: allowed } = await quotasOf(app.store, app.settings.quotas, organization)
  if (allowed === 0) return
  const { total: used } = await measured(app, organization, 'files')
  if (used + more > allowed) throw new QuotaExceeded(organization, 'files', { used, allowed, more })
}

/** Throws 409 if the content of these spaces exceeds the limits of another organization. */
export async function checkRoomFor(
  app: App,
  { from, to, moved }: { from: string; to: string; moved: readonly string[] },
): Promise<void> {
  const limits = await quotasOf(app.store, app.settings.quotas, to)
  const sizeIn = async (quantity: Quantity): Promise<number> => {
    const own = await measured(app, from, quantity)
    return moved.reduce((sum, space) => sum + own.of(space), 0)
  }
  if (limits.bytes > 0) await checkByteQuota(app, to, await sizeIn('bytes'))
  if (limits.files > 0) await checkFileQuota(app, to, await sizeIn('files'))
}

/** A branch of a space that moves. `from` is the head that the new content replaces. */
interface ContentMove extends Pick<RefMove, 'to'> {
  from: NonNullable<RefMove['from']>
}

/**
 * Throws 409 if a move of a branch would exceed the limits of the organization. Moves that only delete are allowed above
 * the limit of bytes, and moves that add no files above the limit of files.
 */
export async function checkContentMove(
  app: App,
  { organization, id, repo }: { organization: string; id: string; repo: Repository },
  { from, to }: ContentMove,
): Promise<void> {
  if (to === null || to === from) return
  const limits = await quotasOf(app.store, app.settings.quotas, organization)
  if (limits.bytes > 0) {
    const { total: used } = await measured(app, organization, 'bytes')
    if (used >= limits.bytes && !(await onlyDeletes(repo, { from, to })))
      throw new QuotaExceeded(organization, 'bytes', { used, allowed: limits.bytes })
  }
  if (limits.files > 0) {
    const [before, after] = [await countFiles(repo, from), await countFiles(repo, to)]
    if (after <= before) return
    const measure = await measured(app, organization, 'files')
    // A branch counts like the main content that it becomes with its merge.
    const used = measure.total - measure.of(id) + before
    if (used + after - before > limits.files)
      throw new QuotaExceeded(organization, 'files', { used, allowed: limits.files, more: after - before })
  }
}

/** Whether files were deleted, none were added, and none grew. */
async function onlyDeletes(repo: Repository, { from, to }: { from: CommitId; to: CommitId }): Promise<boolean> {
  const changes = await repo.trees.diff(from, to)
  if (!changes.some(({ status }) => status === 'deleted') || changes.some(({ status }) => status === 'added'))
    return false
  const modified = changes.flatMap(({ before, after }) =>
    before && after ? [{ before: before.oid, after: after.oid }] : [],
  )
  if (modified.length > MAX_COMPARED) return false
  const snapshot = await repo.objects.snapshot(to)
  const sizes = await snapshot.sizes(modified.flatMap(({ before, after }) => [before, after]))
  return modified.every((_, at) => (sizes[2 * at] ?? 0) >= (sizes[2 * at + 1] ?? 0))
}
