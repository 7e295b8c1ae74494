import { Type } from '@sinclair/typebox'
import { listSyncRuns, retrySync, unlinkRemote } from '../../domain/git-sync/info.js'
import { requestExport, requestImport } from '../../domain/git-sync/request.js'
import { paginate } from '../../kernel/paging.js'
import { ExportRequest, GitInfo, GitRun, ImportRequest, listOf, pageQuery, RetryRequest } from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentGitInfo, presentGitRun } from './present.js'

const section = 'Git sync'

export const importGitRepository = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/import',
  summary: 'Import the content of a Git repository',
  description:
    'Starts the import and answers at once; see `git/info` for how it goes. The configured remote needs the role review; another one, or `force`, needs admin; `standalone` needs edit.',
  section,
  needs: 'space:edit',
  body: ImportRequest,
  fails: [403, 423],
  handle: async ({ app, actor, space, body }) => {
    await requestImport(app, actor, space, body)
  },
})

export const exportToGitRepository = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/export',
  summary: 'Export the main content to a Git repository',
  description:
    "Starts the export and answers at once; see `git/info` for how it goes. It adds one commit to the remote's branch and never rewrites its history.",
  section,
  needs: 'space:review',
  body: ExportRequest,
  fails: [403],
  handle: async ({ app, actor, space, body }) => {
    await requestExport(app, actor, space, body)
  },
})

export const getSpaceGitInfo = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/info',
  summary: 'Get the linked repository and the state of its synchronization',
  section,
  needs: 'space:view',
  returns: GitInfo,
  handle: async ({ app, space }) => presentGitInfo(space, (await listSyncRuns(app, space))[0]),
})

export const removeLegacyGitInstallation = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/git/legacy-installation',
  summary: 'Unlink the repository',
  description: 'What was synchronized stays known: a later link with the same repository goes on from there.',
  section,
  needs: 'space:admin',
  handle: ({ app, space }) => unlinkRemote(app, space),
})

export const listGitRuns = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/history',
  summary: 'List imports and exports, newest first',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: listOf(GitRun, { $id: 'GitRunList' }),
  handle: async ({ app, space, query }) => {
    const page = paginate(await listSyncRuns(app, space), query, (run) => [run.sequence, run.id], 'desc')
    return { ...page, items: page.items.map(presentGitRun) }
  },
})

export const retryGitRun = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/retry',
  summary: 'Run the last import or export again',
  description: 'Only where it failed or ended in a conflict. `url` is the same repository with a fresh credential.',
  section,
  needs: 'space:edit',
  body: Type.Optional(RetryRequest),
  fails: [403, 409, 423],
  handle: async ({ app, actor, space, body }) => {
    await retrySync(app, actor, space, body ?? {})
  },
})
