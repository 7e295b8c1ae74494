/** Endpoints for editors of a page's source: the unchanged file, its front matter, and its other open editors. */
import type { Actor } from '../../domain/context/actor.js'
import type { App } from '../../domain/context/app.js'
import type { LoadedChangeRequest, LoadedSpace } from '../../domain/context/loaded.js'
import { type PageFile, readPageSource, writePageSource } from '../../domain/commits/page-source.js'
import { changeFrontMatter } from '../../domain/revisions/front-matter.js'
import { openMain } from '../../domain/revisions/main-content.js'
import { openRevision } from '../../domain/revisions/revisions.js'
import { fileAtHost } from '../../domain/revisions/host-addresses.js'
import {
  FrontMatter,
  FrontMatterInput,
  PageSource,
  PageSourceInput,
  PageSourceWritten,
  Presence,
  PresenceInput,
  users,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { formerUser, presentUser } from '../users/present.js'

interface PageRequest {
  app: App
  actor: Actor
  space: LoadedSpace
  changeRequest?: LoadedChangeRequest
  pageId: string
}

/** The context type for both paths. It has a change request if the path contains one. */
const requestOf = (context: object): PageRequest => context as PageRequest

const open = ({ app, space, changeRequest }: PageRequest) =>
  changeRequest ? openRevision(app, space, changeRequest.head) : openMain(app, space)

const presentFile = (space: LoadedSpace, { page, revision, oid, path }: PageFile) => ({
  object: 'page-source' as const,
  page,
  revision,
  git: { oid, ...fileAtHost(space.doc.git, path) },
})

const description =
  'Writes the text byte for byte as the file of the page, as one commit. Links in it are not changed. If the file ' +
  'already has the text, nothing is committed. If the file has changed since you read it, nothing is written, and 412 is ' +
  'returned: read it again, combine your text with it, and save the result.'
const ifMatch =
  '`git.oid` of the source that your text is based on, in double quotes. Without this header, the text replaces the latest file.'

/** The main content and each change request have separate lists of editors for the same page. */
const presenceKey = ({ space, changeRequest, pageId }: PageRequest): string =>
  `${space.doc.id}/${changeRequest?.doc.id ?? ''}/${pageId}`

async function presentPresence(request: PageRequest, { editor, line, leaves }: PresenceInput) {
  const { app, actor } = request
  const others = app.presence.note(presenceKey(request), {
    editor,
    user: actor.user.id,
    line: line ?? null,
    leaves: leaves === true,
  })
  const people = await Promise.all(
    others.map(async (one) => {
      const user = await app.store.get(users, one.user)
      return {
        editor: one.editor,
        user: user ? presentUser(app, user) : formerUser(app, one.user),
        line: one.line,
        seenAt: new Date(one.seenAt).toISOString(),
      }
    }),
  )
  return { people }
}

type ContentPath = '/v1/spaces/{spaceId}/content' | '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content'

function sourceEndpoints<const Path extends ContentPath>(path: Path, noun: string, section: string) {
  const page = `${path}/page/{pageId}` as `${Path}/page/{pageId}`
  return {
    get: endpoint({
      method: 'GET',
      path: `${page}/source`,
      summary: `Get the unchanged file of a page of ${noun}`,
      section,
      needs: 'space:view',
      returns: PageSource,
      fails: [413],
      handle: async (context) => {
        const request = requestOf(context)
        const { file, markdown } = await readPageSource(await open(request), request.pageId)
        return { ...presentFile(request.space, file), markdown }
      },
    }),
    put: endpoint({
      method: 'PUT',
      path: `${page}/source`,
      summary: `Replace the file of a page of ${noun}`,
      description,
      section: 'Writing content',
      needs: 'space:edit',
      ifMatch,
      body: PageSourceInput,
      returns: PageSourceWritten,
      fails: [409, 412, 413, 423],
      handle: async (context) => {
        const { app, actor, space, changeRequest = null, pageId } = requestOf(context)
        const place = { app, actor, space, changeRequest, page: pageId }
        const file = await writePageSource({ ...place, ...context.body, ifMatch: context.request.ifMatch })
        return presentFile(space, file)
      },
    }),
    presence: endpoint({
      method: 'POST',
      path: `${page}/presence`,
      summary: `Announce your editor of a page of ${noun}, and list the others`,
      description:
        'An editor calls this every few seconds. It is listed for 30 seconds after its last call. Presence locks nothing.',
      section: 'Writing content',
      needs: 'space:view',
      audited: false,
      body: PresenceInput,
      returns: Presence,
      handle: (context) => presentPresence(requestOf(context), context.body),
    }),
  }
}

const main = sourceEndpoints('/v1/spaces/{spaceId}/content', 'the main content', 'Space content')
const inChangeRequest = sourceEndpoints(
  '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/content',
  'a change request',
  'Change request content',
)

export const getPageSource = main.get
export const updatePageSource = main.put
export const notePagePresence = main.presence
export const getPageSourceInChangeRequest = inChangeRequest.get
export const updatePageSourceInChangeRequest = inChangeRequest.put
export const notePagePresenceInChangeRequest = inChangeRequest.presence

export const changeFrontMatterOfText = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/content/front-matter',
  summary: 'Read and change the front matter of a text that is not saved',
  description:
    'Returns the front matter with the given keys set. All other lines keep their bytes. Nothing is stored: save the text ' +
    'of the page with the result.',
  section: 'Writing content',
  needs: 'space:view',
  audited: false,
  body: FrontMatterInput,
  returns: FrontMatter,
  fails: [413],
  handle: async ({ app, space, body }) => {
    const { markdown, attributes, diagnostics } = await changeFrontMatter(app, space.doc.id, body)
    return { markdown, attributes, diagnostics: [...diagnostics] }
  },
})
