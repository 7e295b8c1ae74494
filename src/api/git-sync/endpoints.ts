/** Endpoints of Git sync: clients import, export, preview, retry and unlink, and read the state and history of runs. */
import { Type } from '@sinclair/typebox'
import { connectionOfLink } from '../../domain/git-sync/remote.js'
import { listSyncRuns, retrySync, unlinkRemote } from '../../domain/git-sync/runs.js'
import { previewSync } from '../../domain/git-sync/preview.js'
import { requestExport, requestImport } from '../../domain/git-sync/request.js'
import { paginate } from '../../kernel/paging.js'
import {
  ChangesQuery,
  ExportRequest,
  GitInfo,
  GitPreview,
  GitRun,
  ImportRequest,
  listOf,
  pageQuery,
  PreviewRequest,
  RetryRequest,
} from '../../model/index.js'
import { endpoint } from '../service.js'
import { presentGitInfo, presentGitRun } from './present.js'

const section = 'Git sync'

export const importGitRepository = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/import',
  summary: 'Import the content of a Git repository',
  description:
    'Starts the import and returns immediately; `git/info` shows its progress. An import from the configured remote requires the role review; from another ' +
    'remote, or with `force`, admin; with `standalone`, edit.',
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
    'Starts the export and returns immediately; `git/info` shows its progress. It adds one commit to the remote branch and never rewrites its history.',
  section,
  needs: 'space:review',
  body: ExportRequest,
  fails: [403],
  handle: async ({ app, actor, space, body }) => {
    await requestExport(app, actor, space, body)
  },
})

export const previewGitSync = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/preview',
  summary: 'Preview the changes of an import or export',
  description:
    'Fetches and merges like the import or export, but changes nothing: no branch, no run in `git/history`, no link. It also works while the space is ' +
    'locked. Fetched objects stay in the repository, unreferenced, until Git prunes them after two weeks. A preview of the configured remote requires the ' +
    'role review; of another remote, or with `force`, admin. Credentials in `url` are used for this request only. The remote has one minute to list its ' +
    'branch, and one more to send it. If the run would fail, 400 is returned with the message that `git/info` would show; the preview does not test whether ' +
    'the remote would accept a push. Returns 409 for a `repoProjectDirectory` of a remote with more than 1,000 commits that have not been fetched yet.',
  section,
  needs: 'space:review',
  query: ChangesQuery,
  body: PreviewRequest,
  returns: GitPreview,
  fails: [403, 409],
  audited: false,
  handle: ({ app, actor, space, body, query }) => previewSync(app, actor, space, body, query),
})

export const getSpaceGitInfo = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/info',
  summary: 'Get the linked repository and the sync state',
  section,
  needs: 'space:view',
  returns: GitInfo,
  handle: async ({ app, space }) =>
    presentGitInfo(space, (await listSyncRuns(app, space))[0], await connectionOfLink(app.store, space.doc)),
})

export const removeLegacyGitInstallation = endpoint({
  method: 'DELETE',
  path: '/v1/spaces/{spaceId}/git/legacy-installation',
  summary: 'Unlink the repository',
  description: 'The sync log is kept: linking the same repository again continues from there.',
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
  summary: 'Repeat the last import or export',
  description:
    'Only if it failed or ended in a conflict. Use `url` to send the URL of the same repository with a new credential.',
  section,
  needs: 'space:edit',
  body: Type.Optional(RetryRequest),
  fails: [403, 409, 423],
  handle: async ({ app, actor, space, body }) => {
    await retrySync(app, actor, space, body ?? {})
  },
})
