/** Turns spaces and their Git sync settings into the JSON that clients get. */
import { presentSpacePermissions } from '../../access/index.js'
import type { App } from '../../domain/context/app.js'
import { contentAddress } from '../../domain/context/app-addresses.js'
import type { ListedSpace } from '../../domain/context/loaded.js'
import { MAIN } from '../../domain/context/refs.js'
import { connectionOfLink } from '../../domain/git-sync/remote.js'
import { addressesOfSpace } from '../../domain/sites/space-addresses.js'
import { isRepositoryFault } from '../../git/index.js'
import { iso } from '../../kernel/clock.js'
import { orderKey } from '../../kernel/order.js'
import type { ConnectionDoc, GitLink } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

/** The failure cause of a connection whose credential was rejected (`RemoteError.kind`). */
const REFUSED_CREDENTIAL = 'unauthorized'

/** Returns `owner/name` from a repository's URL. */
const repoName = (url: string): string =>
  url
    .replace(/\.git$/, '')
    .split(/[/:]/)
    .slice(-2)
    .join('/')

/** Presents the connection to the linked repository. */
const presentInstallation = ({ id, provider, failure, lastRun }: ConnectionDoc) => ({
  installationId: id,
  ...(provider === 'github' || provider === 'gitlab' ? { installationProvider: provider } : {}),
  installationStatus:
    failure?.cause === REFUSED_CREDENTIAL
      ? ('unauthenticated' as const)
      : lastRun === undefined
        ? ('pending' as const)
        : ('active' as const),
})

/** Presents the repository that a space is synced with. `connection`: the connection to this repository, or null. */
export const presentGitSync = (link: GitLink, connection: ConnectionDoc | null) => ({
  repoName: repoName(link.url),
  ...(connection === null ? {} : presentInstallation(connection)),
  url: link.url,
  updatedAt: link.updatedAt,
})

/** Returns the head of main and its commit time; null if there is no head, or if the repository is damaged. */
async function headOfMain(repo: ListedSpace['repo']): Promise<{ id: string; committedAt: string } | null> {
  try {
    const id = repo?.refs.head(MAIN) ?? null
    return repo === null || id === null
      ? null
      : { id, committedAt: iso((await repo.objects.commit(id)).committer.seconds) }
  } catch (error) {
    if (!isRepositoryFault(error)) throw error
    return null
  }
}

/**
 * Returns a space. `updatedAt` is the later of the changes to its settings and to its content, which does not change
 * its document.
 * With a share key of the site that shows the space, its published address contains the key.
 */
export async function presentSpace(app: App, { doc, role, repo }: ListedSpace, shareKey?: string) {
  const head = await headOfMain(repo)
  const committed = head?.committedAt ?? doc.createdAt
  const location = `${app.settings.publicUrl}/v1/spaces/${doc.id}`
  return {
    object: 'space' as const,
    id: doc.id,
    title: doc.title,
    emoji: doc.emoji,
    visibility: doc.visibility,
    createdAt: doc.createdAt,
    updatedAt: committed > doc.updatedAt ? committed : doc.updatedAt,
    ...defined({ deletedAt: doc.deletedAt }),
    editMode: doc.editMode,
    organization: doc.organization,
    ...defined({ parent: doc.parent, language: doc.language }),
    ...(doc.git === undefined ? {} : { gitSync: presentGitSync(doc.git, await connectionOfLink(app.store, doc)) }),
    revision: head?.id ?? '',
    ...defined({ visitorAuth: doc.visitorAuth, codeSpace: doc.codeSpace }),
    defaultLevel: doc.defaultLevel,
    position: orderKey(doc),
    comments: doc.comments,
    changeRequests: doc.changeRequests,
    changeRequestsOpen: doc.changeRequestsOpen,
    changeRequestsDraft: doc.changeRequestsDraft,
    requiredApprovals: doc.requiredApprovals ?? 0,
    mergeRules: doc.mergeRules ?? { type: 'inherit' as const },
    urls: { location, app: contentAddress(app, doc.id), ...(await addressesOfSpace(app, doc, shareKey)) },
    permissions: presentSpacePermissions({ role, readOnly: app.readOnly }, doc.editMode === 'locked'),
  }
}
