/**
 * Previews of a site: addresses that work for one to two days for anyone who has them, with the access of the user
 * who requested them.
 */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { type ChangeRequestDoc, changeRequests, type OrganizationDoc, type SiteDoc, users } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { mergeOfBranch } from '../commits/merge/branch-merge.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import type { App } from '../context/app.js'
import { type LoadedSpace, loadHead } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { expiryOf, isSigned, signatureOf } from '../context/signed-url.js'
import { openShown } from '../revisions/computed.js'
import { headOf } from '../revisions/main-content.js'
import { openBoth } from '../revisions/revisions.js'
import { SharedWork } from '../revisions/shared-work.js'
import { roleOn, viewerOf } from '../roles/access.js'
import { shownSiteSpaces } from './view.js'
import { openToPreviewer, type Visitor } from './visitor.js'

const partsOf = (site: string, user: string): string[] => ['site-preview', site, user]

/** Returns the last part of the address of a preview, for a user who may see the site. */
export function previewToken(app: Pick<App, 'clock' | 'settings'>, site: string, user: string): string {
  const expires = expiryOf(app)
  return `${user}.${expires}.${signatureOf(app, partsOf(site, user), expires)}`
}

/** Returns the user of a preview token. Null if this server did not create the token, or it has expired. */
function userOf(app: App, site: string, token: string): string | null {
  const [user = '', expires = '', signature = ''] = token.split('.')
  return /^[0-9]{1,12}$/.test(expires) && isSigned(app, partsOf(site, user), Number(expires), signature) ? user : null
}

/** A previewed site. */
export interface Preview {
  visitor: Visitor
  /** The change request that the preview shows as merged. */
  changeRequest?: Document<ChangeRequestDoc>
  /** IDs of the pages that the change request adds or changes. */
  changed: ReadonlySet<string>
  /** Whether the change request conflicts with main, so that its branch is shown alone. */
  conflicts: boolean
  /** Whether it shows the draft of the customization. */
  hasDraftLook: boolean
}

/** A site and its organization, without the role of a caller. */
interface OwnedSite {
  organization: Document<OrganizationDoc>
  site: Document<SiteDoc>
}

/**
 * Opens a preview. Null if the token is not valid, its user may no longer see the site, or the change request is not
 * one of a space that the preview shows.
 * @param shows the ID of the change request to show as merged, and whether to show the draft of the customization
 */
export async function openPreview(
  app: App,
  owner: OwnedSite,
  token: string,
  { changeRequest, hasDraftLook }: { changeRequest: string | undefined; hasDraftLook: boolean },
): Promise<Preview | null> {
  const { site } = owner
  const user = userOf(app, site.id, token)
  const viewer = user === null ? null : await viewerOf(app.store, user, site.organization)
  if (user === null || viewer === null || (await roleOn(app.store, viewer, { ...site, kind: 'site' })) === null)
    return null
  const visitor = await openToPreviewer(app, owner, user)
  if (changeRequest === undefined) return { visitor, changed: new Set(), conflicts: false, hasDraftLook }
  const doc = await app.store.get(changeRequests, changeRequest)
  const shown = doc && shownSiteSpaces(visitor.view).find(({ space }) => space.doc.id === doc.space)
  if (!shown) return null
  const space: LoadedSpace = { ...shown.space, repo: await app.git.open(repositoryName(doc.space)) }
  const { commit, conflicts } = await mergedHead(app, space, doc, user)
  return {
    visitor: {
      ...visitor,
      revisionOf: (opened) => (opened.doc.id === doc.space ? openShown(app, opened, commit, true) : undefined),
    },
    changeRequest: doc,
    changed: await changedPages(app, space, commit),
    conflicts,
    hasDraftLook,
  }
}

const merging = new SharedWork<CommitId | null>()

/** Returns the commit that main would have after the merge. The branch itself if it conflicts with main. */
async function mergedHead(
  app: App,
  space: LoadedSpace,
  doc: Document<ChangeRequestDoc>,
  user: string,
): Promise<{ commit: CommitId; conflicts: boolean }> {
  const { head } = loadHead(space, doc)
  const main = headOf(space)
  if (await contains(space.repo, main, head)) return { commit: main, conflicts: false }
  if (await contains(space.repo, head, main)) return { commit: head, conflicts: false }
  const key = `${space.doc.id}:${main}:${head}`
  const known = app.content.previewMerges.get(key)
  const merged = known ?? (await merging.run(app, key, () => merge(app, space, doc, { main, head, user })))
  if (merged === null || merged === 'conflicts') return { commit: head, conflicts: true }
  return { commit: merged, conflicts: false }
}

const contains = (repo: Repository, descendant: CommitId, ancestor: CommitId): Promise<boolean> =>
  repo.isAncestor(ancestor, descendant)

/** Creates the commit of a merge that may never happen. No ref names it, so maintenance removes it after two weeks. */
async function merge(
  app: App,
  space: LoadedSpace,
  doc: Document<ChangeRequestDoc>,
  { main, head, user }: { main: CommitId; head: CommitId; user: string },
): Promise<CommitId | null> {
  const { merged, bases } = await mergeOfBranch(app, space, doc, { main, head, into: 'main' })
  const author = await app.store.get(users, user)
  const commit =
    merged.clean && author
      ? await makeMergeCommit(
          app,
          space,
          { ours: main, theirs: head, bases, tree: merged.tree },
          { message: `Preview of change request #${doc.number}\n`, author },
        )
      : null
  app.content.previewMerges.set(`${space.doc.id}:${main}:${head}`, commit ?? 'conflicts')
  return commit
}

/** Returns the IDs of the pages whose files differ from main. */
async function changedPages(app: App, space: LoadedSpace, commit: CommitId): Promise<ReadonlySet<string>> {
  const { after, changes } = await openBoth(app, space, headOf(space), commit)
  return new Set(
    changes.flatMap(({ path, status }) => {
      const page = status === 'deleted' ? undefined : after.structure.byGitPath.get(path)
      return page ? [page.id] : []
    }),
  )
}
