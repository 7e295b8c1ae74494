/** Quotas of organizations, which the operator sets: spaces, members, and bytes of repositories and Git LFS files. */
import { bytesBelow, isRepositoryFault } from '../../git/index.js'
import { conflict } from '../../kernel/errors.js'
import { lfsObjects, memberships, spaces } from '../../model/index.js'
import type { Reader } from '../../store/index.js'
import type { App, Quotas } from './app.js'
import { repositoryName } from './refs.js'

/** Time for which a measured size is used, in milliseconds: reading it visits every file of every repository. */
const MEASURED_MS = 30_000

const exceeded = (used: number, limit: number, unit: string, setting: string, remedy: string): Error =>
  conflict(
    `The organization has ${used} of at most ${limit} ${unit}. ${remedy}, or ask an operator of the server for a higher limit (${setting}).`,
  )

/** Throws 409 if the organization may not have another space. Deleted spaces do not count. */
export async function checkSpaceQuota(reader: Reader, { spaces: limit }: Quotas, organization: string): Promise<void> {
  if (limit === 0) return
  const all = await reader.find(spaces, 'organization', organization)
  const used = all.filter(({ deletedAt }) => deletedAt === undefined).length
  if (used >= limit) throw exceeded(used, limit, 'spaces', 'BINDERY_ORG_SPACES', 'Delete a space')
}

/** Throws 409 if the organization may not have another member. */
export async function checkMemberQuota(
  reader: Reader,
  { members: limit }: Quotas,
  organization: string,
): Promise<void> {
  if (limit === 0) return
  const used = await reader.count(memberships, 'organization', organization)
  if (used >= limit) throw exceeded(used, limit, 'members', 'BINDERY_ORG_MEMBERS', 'Remove a member')
}

/** Measured sizes by node and organization. */
// bound: the organizations that are written to
const measured = new Map<string, { at: number; bytes: Promise<number> }>()

/**
 * Throws 409 if the repositories and Git LFS files of the organization have reached the limit. The size is up to 30
 * seconds old, so writes of that time can exceed the limit.
 */
export async function checkByteQuota(app: App, organization: string): Promise<void> {
  const { bytes: limit } = app.settings.quotas
  if (limit === 0) return
  const key = `${app.node} ${organization}`
  const now = performance.now()
  let known = measured.get(key)
  if (known === undefined || now - known.at > MEASURED_MS) {
    known = { at: now, bytes: measure(app, organization) }
    known.bytes.catch(() => measured.delete(key))
    measured.set(key, known)
  }
  const used = await known.bytes
  if (used >= limit) throw exceeded(used, limit, 'bytes', 'BINDERY_ORG_BYTES', 'Delete a space and remove it for good')
}

async function measure(app: App, organization: string): Promise<number> {
  let bytes = 0
  for (const { id } of await app.store.find(spaces, 'organization', organization)) {
    for (const { size, state } of await app.store.find(lfsObjects, 'space', id)) if (state === 'present') bytes += size
    try {
      bytes += await bytesBelow((await app.git.open(repositoryName(id))).path)
    } catch (error) {
      if (!isRepositoryFault(error)) throw error
    }
  }
  return bytes
}
