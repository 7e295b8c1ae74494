/** Endpoints of connection runs: clients test connections, start, cancel and repeat runs, and read their results. */
import { Type } from '@sinclair/typebox'
import { describeRun } from '../../domain/connections/describe-run.js'
import { cancelRuns, retryConnection, runConnectionNow, runsOf } from '../../domain/connections/queue-run.js'
import { listRemoteBranches, testConnection as test } from '../../domain/connections/test.js'
import { paginate } from '../../kernel/paging.js'
import {
  ChangesQuery,
  ConnectionRunDetails,
  ConnectionTest,
  GitRun,
  listOf,
  pageQuery,
  RemoteBranches,
  RunConnection,
} from '../../model/index.js'
import { presentGitRun } from '../git-sync/present.js'
import { endpoint } from '../service.js'

const section = 'Connections'

export const testConnection = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/test',
  summary: 'Test a connection',
  description:
    'Reports what works and what is missing: whether the repository can be read, the branch exists, and the credential is allowed to push. Changes nothing.',
  section,
  needs: 'space:admin',
  returns: ConnectionTest,
  fails: [503],
  audited: false,
  handle: ({ app, actor, space, connection }) => test(app, actor, space, connection),
})

export const listConnectionBranches = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/branches',
  summary: "List the branches of a connection's repository",
  description: 'Queries the repository. Lists at most 1,000 branches.',
  section,
  needs: 'space:admin',
  returns: RemoteBranches,
  fails: [409, 503],
  handle: ({ app, actor, space, connection }) => listRemoteBranches(app, actor, space, connection),
})

export const runConnection = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/run',
  summary: 'Run a connection now',
  description: 'Starts the run and returns immediately. If a run is already queued, that one is returned.',
  section,
  needs: 'space:triggerGitSync',
  body: Type.Optional(RunConnection),
  status: 202,
  returns: GitRun,
  fails: [409, 423],
  handle: async ({ app, actor, space, connection, body }) =>
    presentGitRun(await runConnectionNow(app, actor, space, connection, body ?? {})),
})

export const cancelConnectionRun = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/cancel',
  summary: 'Cancel the runs of a connection',
  description:
    'Cancels queued and running runs. Changes that were already imported or exported remain; the next run does the rest.',
  section,
  needs: 'space:triggerGitSync',
  status: 202,
  returns: GitRun,
  fails: [409],
  handle: async ({ app, connection }) => presentGitRun(await cancelRuns(app, connection)),
})

export const retryConnectionRun = endpoint({
  method: 'POST',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/retry',
  summary: 'Repeat the last run of a connection',
  description: 'Only if it failed, was canceled or ended in a conflict.',
  section,
  needs: 'space:triggerGitSync',
  status: 202,
  returns: GitRun,
  fails: [409, 423],
  handle: async ({ app, actor, space, connection }) =>
    presentGitRun(await retryConnection(app, actor, space, connection)),
})

export const listConnectionRuns = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/runs',
  summary: 'List the runs of a connection, newest first',
  description: 'The newest 200 runs of a space are kept.',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: listOf(GitRun, { $id: 'ConnectionRunList' }),
  handle: async ({ app, connection, query }) => {
    const page = paginate(await runsOf(app, connection), query, (run) => [run.sequence, run.id], 'desc')
    return { ...page, items: page.items.map(presentGitRun) }
  },
})

export const getConnectionRun = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/runs/{runId}',
  summary: 'Get a run of a connection, with its commits and changes',
  section,
  needs: 'space:view',
  query: ChangesQuery,
  returns: ConnectionRunDetails,
  handle: async ({ app, space, run, query }) => ({
    ...presentGitRun(run),
    ...(await describeRun(app, space, run, query)),
  }),
})
