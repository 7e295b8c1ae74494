/** The tools with which members propose, discuss and follow changes. */
import { Type } from '@sinclair/typebox'
import { badRequest } from '../../kernel/errors.js'
import { tool, type Tool } from '../../mcp/index.js'
import { changeRequestStatuses, oneOf, type UnmetRule } from '../../model/index.js'
import { isOutdated } from '../change-requests/change-requests.js'
import { listConflicts } from '../change-requests/conflicts.js'
import { unmetBy } from '../change-requests/unmet-by.js'
import { createComment } from '../comments/comments.js'
import type { App } from '../context/app.js'
import { changeRequestAddress, commentAddress } from '../context/app-addresses.js'
import type { LoadedChangeRequest, LoadedSpace } from '../context/loaded.js'
import type { MemberCall, NamedPage } from './members.js'
import { type PageEdit, propose } from './propose.js'
import { closed, MAX_NAME, PageName, SpaceName } from './tool-schemas.js'
import { required } from '../../kernel/defined.js'

const MAX_EDITS = 50
/** Maximum length in characters of a text to find or to insert, and of a new source. */
const MAX_FIND = 50_000
const MAX_SOURCE = 1_000_000
const MAX_COMMENT = 20_000
/** Maximum number of conflicts in a result. */
const MAX_CONFLICTS = 50

const ChangeRequestName = Type.String({ minLength: 1, maxLength: 100, description: 'ID of a change request.' })

const changeRequestFields = {
  id: Type.String(),
  number: Type.Integer({ description: 'Its number in the space.' }),
  status: oneOf(changeRequestStatuses),
  subject: Type.String(),
  space: Type.String({ description: 'ID of the space.' }),
  address: Type.String({ description: 'Its address in the app.' }),
  commit: Type.String({ description: 'The newest commit of its branch.' }),
}

type Place<C> = (context: C) => MemberCall

/**
 * Returns the tools of members.
 * @param named whether a call names the space, because page IDs are unique only within a space
 * @param memberOf returns the member who calls
 */
export const memberTools = <C>(named: boolean, memberOf: Place<C>): Tool<C>[] => [
  proposeTool(named, memberOf),
  commentTool(named, memberOf),
  statusTool(memberOf),
]

const spaceOf = (input: { space?: string }): string | undefined => input.space

const Edit = Type.Object(
  {
    page: PageName,
    find: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_FIND,
        description: 'A text that occurs exactly once in the source of the page.',
      }),
    ),
    replace: Type.Optional(Type.String({ maxLength: MAX_FIND, description: 'The replacement text.' })),
    markdown: Type.Optional(
      Type.String({
        maxLength: MAX_SOURCE,
        description: 'The new source of the whole page, without front matter. Instead of `find` and `replace`.',
      }),
    ),
  },
  closed,
)

const proposeTool = <C>(named: boolean, memberOf: Place<C>): Tool<C> =>
  tool({
    name: 'propose',
    title: 'Propose changes to pages',
    description:
      'Creates a draft change request in your name with edits to pages of one space. Nothing is published: members review and merge it. ' +
      'For each edit, give the page, and either `find` (a text that occurs exactly once in the source of the page) with `replace`, or `markdown` (a new source). ' +
      'The edits are applied in order, all or none. Prefer small edits with `find`.',
    input: Type.Object(
      {
        ...(named ? { space: SpaceName } : {}),
        subject: Type.String({ minLength: 1, maxLength: 100, description: 'A short summary of the change.' }),
        description: Type.Optional(
          Type.String({ maxLength: 10_000, description: 'The reason for the change, as markdown.' }),
        ),
        edits: Type.Array(Edit, { minItems: 1, maxItems: MAX_EDITS }),
      },
      closed,
    ),
    output: Type.Object({
      changeRequest: Type.Object(changeRequestFields),
      pages: Type.Array(Type.Object({ page: Type.String(), title: Type.String(), address: Type.String() })),
    }),
    changes: true,
    run: async (context, input) => {
      const member = memberOf(context)
      const pages: NamedPage[] = []
      const edits: PageEdit[] = []
      for (const [index, edit] of input.edits.entries()) {
        const page = await member.findPage(edit.page, spaceOf(input))
        if (pages[0] && page.space.doc.id !== pages[0].space.doc.id)
          throw badRequest(`Edit ${index} is in another space. A change request has pages of one space: make two.`)
        pages.push(page)
        edits.push(editOf(page, edit, index))
      }
      const { space } = required(pages[0])
      const changeRequest = await write(member, input, { space }, 'mcpPropose', async (app) => {
        const { subject, description = '' } = input
        const made = await propose(app, member.actor, space, { subject, description, edits })
        return { value: made, created: pathOf(made) }
      })
      const shown = new Map(
        pages.map(({ entry, address }) => [entry.id, { page: entry.id, title: entry.title, address }]),
      )
      const result = { changeRequest: present(member.app, changeRequest), pages: [...shown.values()] }
      return {
        result,
        text: `Created the draft ${describe(result.changeRequest)}\nIt changes: ${listed(result.pages)}.`,
      }
    },
  })

const listed = (pages: readonly { title: string }[]): string => pages.map(({ title }) => `“${title}”`).join(', ')

function editOf(
  { entry }: NamedPage,
  { find, replace, markdown }: { find?: string; replace?: string; markdown?: string },
  index: number,
): PageEdit {
  if (markdown !== undefined && find === undefined && replace === undefined) return { page: entry, markdown }
  if (markdown === undefined && find !== undefined && replace !== undefined) return { page: entry, find, replace }
  throw badRequest(`Edit ${index} needs either \`find\` and \`replace\`, or \`markdown\`.`)
}

const commentTool = <C>(named: boolean, memberOf: Place<C>): Tool<C> =>
  tool({
    name: 'comment',
    title: 'Comment on a page or change request',
    description: 'Writes a comment in your name: on a change request, on a page, or on a page in a change request.',
    input: Type.Object(
      {
        ...(named ? { space: Type.Optional(SpaceName) } : {}),
        text: Type.String({ minLength: 1, maxLength: MAX_COMMENT, description: 'The comment, as markdown.' }),
        changeRequest: Type.Optional(ChangeRequestName),
        page: Type.Optional(PageName),
      },
      closed,
    ),
    output: Type.Object({ comment: Type.String({ description: 'ID of the comment.' }), address: Type.String() }),
    changes: true,
    run: async (context, input) => {
      const member = memberOf(context)
      const { text, changeRequest: id, page: name } = input
      if (id === undefined && name === undefined) throw badRequest('Name a `changeRequest`, a `page`, or both.')
      const found = id === undefined ? null : await member.findChangeRequest(id)
      const page = name === undefined ? null : await member.findPage(name, found?.space.doc.id ?? spaceOf(input))
      const space = found?.space ?? (page as NamedPage).space
      if (page && page.space.doc.id !== space.doc.id)
        throw badRequest('The page is not in the space of the change request.')
      const discussion = { space, ...(found ? { changeRequest: found.changeRequest } : {}) }
      const above = found ? pathOf(found.changeRequest) : `/v1/spaces/${space.doc.id}`
      const comment = await write(member, input, discussion, 'mcpComment', async (app) => {
        const body = { body: { markdown: text }, ...(page ? { page: page.entry.id } : {}) }
        const made = await createComment(app, member.actor, discussion, body)
        return { value: made, created: `${above}/comments/${made.id}` }
      })
      const address = commentAddress(member.app, {
        space: space.doc.id,
        comment: comment.id,
        ...(page ? { page: page.entry.id } : {}),
        ...(found ? { changeRequest: found.changeRequest.doc.number } : {}),
      })
      const result = { comment: comment.id, address }
      return { result, text: `Commented: ${result.address}` }
    },
  })

const statusTool = <C>(memberOf: Place<C>): Tool<C> =>
  tool({
    name: 'status',
    title: 'Get the status of a change request',
    description:
      'Returns whether a change request is a draft, open, merged or archived, the rules that keep you from merging it, and its conflicts with main.',
    input: Type.Object({ changeRequest: ChangeRequestName }, closed),
    output: Type.Object({
      changeRequest: Type.Object(changeRequestFields),
      unmetRules: Type.Array(Type.Object({ rule: Type.String(), message: Type.String() })),
      conflicts: Type.Array(Type.String({ description: 'Path of a file with conflicts.' })),
      outdated: Type.Boolean({ description: 'Whether main has content that the change request does not have.' }),
      comments: Type.Integer({ description: 'Number of open comments.' }),
    }),
    run: async (context, { changeRequest: id }) => {
      const member = memberOf(context)
      const { space, changeRequest } = await member.findChangeRequest(id)
      const unmet = await unmetBy(member.app, member.actor, space, changeRequest)
      const conflicts = await conflictsOf(member.app, space, changeRequest)
      const result = {
        changeRequest: present(member.app, changeRequest),
        unmetRules: unmet.map(({ rule, message }: UnmetRule) => ({ rule, message })),
        conflicts,
        outdated: await isOutdated(space, changeRequest),
        comments: changeRequest.doc.comments,
      }
      const lines = [
        describe(result.changeRequest),
        ...result.unmetRules.map(({ message }) => `- Not met: ${message}`),
        ...(conflicts.length > 0 ? [`- Conflicts with main: ${conflicts.join(', ')}`] : []),
        `- ${result.comments} open comments${result.outdated ? '; main has newer content' : ''}`,
      ]
      return { result, text: lines.join('\n') }
    },
  })

async function conflictsOf(app: App, space: LoadedSpace, changeRequest: LoadedChangeRequest): Promise<string[]> {
  if (changeRequest.doc.status === 'archived') return []
  const found = await listConflicts(app, space, changeRequest)
  return found.slice(0, MAX_CONFLICTS).map(({ path }) => path.slice(0, MAX_NAME))
}

const pathOf = ({ doc }: LoadedChangeRequest): string => `/v1/spaces/${doc.space}/change-requests/${doc.id}`

const present = (app: App, changeRequest: LoadedChangeRequest) => {
  const { id, number, status, subject, space } = changeRequest.doc
  const address = changeRequestAddress(app, space, number)
  return { id, number, status, subject, space, address, commit: changeRequest.head }
}

const describe = ({ number, subject, status, id, commit, address }: ReturnType<typeof present>): string =>
  `change request #${number} “${subject}” (${status})\nID ${id} · commit ${commit}\n${address}`

/** Executes a write of a member. */
function write<T>(
  { members, actor, origin }: MemberCall,
  input: object,
  resources: { space: LoadedSpace; changeRequest?: LoadedChangeRequest },
  operation: 'mcpPropose' | 'mcpComment',
  work: (app: App) => Promise<{ value: T; created: string }>,
): Promise<T> {
  const permission = operation === 'mcpPropose' ? 'space:edit' : 'space:comment'
  return members.write(actor, { ...resources, ...origin, operation, permission, members: Object.keys(input) }, work)
}
