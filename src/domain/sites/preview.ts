/**
 * Previews of a site: addresses that work for one to two days for anyone who has them, with the access of the user
 * who requested them.
 */
import type { Repository } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import { defined } from '../../kernel/defined.js'
import {
  type AdaptiveJsonSchema,
  type ChangeRequestDoc,
  changeRequests,
  type OrganizationDoc,
  type SiteDoc,
  users,
} from '../../model/index.js'
import type { Document } from '../../store/index.js'
import { mergeOfBranch } from '../commits/merge/branch-merge.js'
import { makeMergeCommit } from '../commits/merge/merge-commit.js'
import type { App } from '../context/app.js'
import { type LoadedSite, type LoadedSpace, loadHead } from '../context/loaded.js'
import { repositoryName } from '../context/refs.js'
import { expiryOf, isSigned, signatureOf } from '../context/signed-url.js'
import { openShown } from '../revisions/computed.js'
import { headOf } from '../revisions/main-content.js'
import { openBoth } from '../revisions/revisions.js'
import { SharedWork } from '../revisions/shared-work.js'
import { roleOn, viewerOf } from '../roles/access.js'
import { getAdaptiveSchema } from './adaptive-schema.js'
import { shownSiteSpaces } from './view.js'
import { openToPreviewer, type Visitor } from './visitor.js'

const partsOf = (site: string, user: string, claims: string | undefined): string[] =>
  claims === undefined ? ['site-preview', site, user] : ['site-preview-as-visitor', site, user, claims]

/** Claims about the visitor that a preview imitates: those that a token would state, and those of a browser. */
export interface PreviewClaims {
  signed: Readonly<Record<string, boolean>>
  unsigned: Readonly<Record<string, boolean>>
}

/** Maximum length of the claims in an address. */
const MAX_CLAIMS = 1_200

/** Returns the last part of the address of a preview, for a user who may see the site. */
export function previewToken(
  app: Pick<App, 'clock' | 'settings'>,
  site: string,
  user: string,
  claims?: string,
): string {
  const expires = expiryOf(app)
  const token = `${user}.${expires}.${signatureOf(app, partsOf(site, user, claims), expires)}`
  return claims === undefined ? token : `${token}.${claims}`
}

/**
 * Returns the last part of the address of a preview as a visitor with these claims, and when it expires. Throws 400 for
 * claims that the site does not declare. If its content does not depend on claims, it declares none.
 */
export async function visitorPreview(
  app: App,
  { site, user, claims }: { site: LoadedSite; user: string; claims: PreviewClaims },
): Promise<{ token: string; expiresAt: string }> {
  const { enabled } = site.doc.adaptiveContent
  const properties: AdaptiveJsonSchema['properties'] = enabled
    ? (await getAdaptiveSchema(app, site)).jsonSchema.properties
    : {}
  const reason = enabled
    ? 'is not a claim of the adaptive schema of the site'
    : 'has no effect, because `adaptiveContent` of the site is not enabled'
  const unknownIn = (member: keyof PreviewClaims, declared: object): ErrorDetail[] =>
    Object.keys(claims[member])
      .filter((name) => !Object.hasOwn(declared, name) || (member === 'signed' && name === 'unsigned'))
      .map((name) => ({ path: `/${member}/${name}`, message: reason }))
  const details = [...unknownIn('signed', properties), ...unknownIn('unsigned', properties.unsigned?.properties ?? {})]
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url')
  if (text.length > MAX_CLAIMS) details.push({ path: '', message: 'has too many claims for one address: choose fewer' })
  const [first] = details
  if (first) throw badRequest(`The claims are invalid: ${first.path.slice(1) || 'it'} ${first.message}.`, details)
  return {
    token: previewToken(app, site.doc.id, user, text),
    expiresAt: new Date(expiryOf(app) * 1000).toISOString(),
  }
}

/** Returns the user and claims of a preview token. Null if this server did not create the token, or it has expired. */
function orderOf(app: App, site: string, token: string): { user: string; claims: PreviewClaims | undefined } | null {
  const [user = '', expires = '', signature = '', claims] = token.split('.')
  if (!/^[0-9]{1,12}$/.test(expires) || !isSigned(app, partsOf(site, user, claims), Number(expires), signature))
    return null
  return { user, claims: claims === undefined ? undefined : JSON.parse(Buffer.from(claims, 'base64url').toString()) }
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
  /** The claims of the visitor that it imitates; absent if it imitates none. */
  claims?: PreviewClaims
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
  const order = orderOf(app, site.id, token)
  const viewer = order && (await viewerOf(app.store, order.user, site.organization))
  if (!order || !viewer || (await roleOn(app.store, viewer, { ...site, kind: 'site' })) === null) return null
  const { user } = order
  const visitor = await openToPreviewer(app, owner, user, order.claims)
  const look = { hasDraftLook, ...defined({ claims: order.claims }) }
  if (changeRequest === undefined) return { visitor, changed: new Set(), conflicts: false, ...look }
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
    ...look,
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
  repo.history.isAncestor(ancestor, descendant)

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
