/** Endpoints of change requests: clients create, edit, merge and update them, and list their conflicts with main. */
import { Type } from '@sinclair/typebox'
import {
  createChangeRequest,
  listChangeRequests,
  readDescription,
  updateChangeRequest,
} from '../../domain/change-requests/change-requests.js'
import { mergeChangeRequest, updateFromMain } from '../../domain/change-requests/merge-requests.js'
import { paginate } from '../../kernel/paging.js'
import {
  ChangeRequest,
  CreateChangeRequest,
  changeRequestStatuses,
  Conflict,
  ConflictFile,
  ConflictState,
  Id,
  listOf,
  MergeResult,
  oneOf,
  pageQuery,
  UpdateChangeRequest,
  UpdateFromMain,
  UpdateResult,
} from '../../model/index.js'
import { listConflicts, loadConflict } from '../../domain/change-requests/conflicts.js'
import { created } from '../reply.js'
import { endpoint } from '../service.js'
import { presentChangeRequest, presentWithDetails } from './present.js'
import { presentConflictFile, presentConflictState } from './present-conflicts.js'
import { defined } from '../../kernel/defined.js'

const section = 'Change requests'

/** Maximum number of change requests on a page of a list with their details. */
const MAX_DETAILED = 100

export const listChangeRequestsForSpace = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests',
  summary: 'List the change requests of a space, newest first',
  section,
  needs: 'space:view',
  repeatable: true,
  query: Type.Object({
    ...pageQuery,
    status: oneOf(changeRequestStatuses, { default: 'open' }),
    contributor: Type.Optional(Id),
    details: Type.Boolean({
      default: false,
      description: `True: with \`reviewers\` and \`changedPages\`, at most ${MAX_DETAILED} on a page of the list.`,
    }),
  }),
  returns: listOf(ChangeRequest, { $id: 'ChangeRequestList' }),
  handle: async ({ app, actor, space, query }) => {
    const limit = query.details ? Math.min(query.limit, MAX_DETAILED) : query.limit
    const page = await listChangeRequests(app, space, { ...query, limit })
    const present = query.details ? presentWithDetails : presentChangeRequest
    return { ...page, items: await Promise.all(page.items.map((one) => present(app, actor, space, one))) }
  },
})

export const createChangeRequestInSpace = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests',
  summary: 'Create a change request',
  description: 'Starts as a draft, on a new branch from the head of main.',
  section,
  needs: 'space:edit',
  body: Type.Optional(CreateChangeRequest),
  status: 201,
  returns: ChangeRequest,
  handle: async ({ app, actor, space, body }) => {
    const { subject } = body ?? {}
    const input = { ...defined({ subject }), ...(await readDescription(app, space, body ?? {})) }
    const made = await app.locks.run(space.doc.id, (lease) => createChangeRequest(app, actor, space, input, { lease }))
    return created(
      await presentChangeRequest(app, actor, space, made),
      `/v1/spaces/${space.doc.id}/change-requests/${made.doc.id}`,
    )
  },
})

export const getChangeRequestById = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}',
  summary: 'Get a change request by ID or number',
  section,
  needs: 'space:view',
  returns: ChangeRequest,
  handle: ({ app, actor, space, changeRequest }) => presentChangeRequest(app, actor, space, changeRequest),
})

export const updateChangeRequestById = endpoint({
  method: 'PATCH',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}',
  summary: 'Change the subject, description or status of a change request',
  section,
  needs: 'space:edit',
  body: UpdateChangeRequest,
  returns: ChangeRequest,
  fails: [409],
  handle: async ({ app, actor, space, changeRequest, body }) =>
    presentChangeRequest(app, actor, space, await updateChangeRequest(app, actor, space, changeRequest, body)),
})

export const mergeChangeRequestById = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge',
  summary: 'Merge a change request into the main content',
  description:
    'Adds a merge commit to main. If the merge has conflicts, nothing changes and 409 returns the paths. If the change request does not meet the merge ' +
    "rules of the space (`requiredApprovals`, `mergeRules`), 409 names each unmet rule and what is missing; the change request's `unmetRules` contains the " +
    'same list. Users who are allowed to bypass the rules can merge anyway; the audit log marks these merges.',
  section,
  needs: 'space:merge',
  returns: MergeResult,
  fails: [409, 423],
  handle: async ({ app, actor, space, changeRequest }) => ({
    ...(await mergeChangeRequest(app, actor, space, changeRequest)),
    result: 'merge' as const,
  }),
})

export const listConflictsOfChangeRequest = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflicts',
  summary: 'List the conflicts between a change request and the main content',
  description:
    'Ordered by path. Each conflict contains the file in the merge base (`base`), in the change request (`ours`) and in the main content (`theirs`).',
  section,
  needs: 'space:view',
  query: Type.Object({ ...pageQuery }),
  returns: listOf(Conflict, { $id: 'ConflictList' }),
  handle: async ({ app, space, changeRequest, query }) => {
    const page = paginate(await listConflicts(app, space, changeRequest), query, (one) => [one.path, one.kind])
    return {
      ...page,
      items: await Promise.all(page.items.map((one) => loadConflict(space.repo, changeRequest.head, one))),
    }
  },
})

export const getConflictState = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflict-state',
  summary: 'Get the conflicts of a change request with the heads that they compare',
  description:
    'For clients that resolve conflicts: the same conflicts as in the list of conflicts, without texts. Resolve them with an update whose `expect` contains ' +
    '`revision` and `main` of this response.',
  section,
  needs: 'space:view',
  returns: ConflictState,
  handle: async ({ app, space, changeRequest }) => presentConflictState(app, space, changeRequest),
})

export const getConflictFile = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflict-state/file',
  summary: 'Get a conflict with its three texts, compared by lines',
  description: '`ours` is the version in the change request, `theirs` the one in the main content.',
  section,
  needs: 'space:view',
  query: Type.Object({
    key: Type.String({ minLength: 1, maxLength: 4096, description: '`key` of the conflict.' }),
    revision: Type.Optional(
      Type.String({ maxLength: 40, description: 'Returns 409 if this is not the head of the change request.' }),
    ),
    main: Type.Optional(Type.String({ maxLength: 40, description: 'Returns 409 if this is not the head of main.' })),
  }),
  returns: ConflictFile,
  fails: [409],
  handle: async ({ app, space, changeRequest, query }) => presentConflictFile(app, space, changeRequest, query),
})

export const updateChangeRequestFromMain = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update',
  summary: 'Update a change request from the main content',
  description:
    'Adds a merge commit to the branch of the change request. If there are conflicts, nothing changes and 409 returns the paths, unless `resolve` resolves ' +
    'all of them. `resolve` must only name files with a conflict. With `expect`, nothing changes either if the change request or main has moved (409).',
  section,
  needs: 'space:edit',
  body: Type.Optional(UpdateFromMain),
  returns: UpdateResult,
  fails: [409, 423],
  handle: async ({ app, actor, space, changeRequest, body }) => ({
    ...(await updateFromMain(app, actor, space, changeRequest, body?.resolve, body?.expect)),
    result: 'update' as const,
  }),
})
