/** Endpoints of pull request previews. */
import { Type } from '@sinclair/typebox'
import { paginate } from '../../kernel/paging.js'
import { listOf, pageQuery, type PullPreviewDoc, PullRequestPreview } from '../../model/index.js'
import { endpoint } from '../service.js'
import type { App } from '../../domain/context/app.js'
import { defined } from '../../kernel/defined.js'
import { listPreviews } from '../../domain/pull-previews/release.js'

/** Returns a pull request preview as JSON. */
function presentPreview(app: App, doc: PullPreviewDoc): PullRequestPreview {
  const { author, head, commit, message, revision, baseRevision, problems, counts, status } = doc
  const space = `${app.settings.publicUrl}/v1/spaces/${doc.space}`
  const more = counts.all - problems.length
  return {
    object: 'pull-request-preview',
    connection: doc.connection,
    number: doc.number,
    title: doc.title,
    ...(author === null ? {} : { author }),
    head: {
      ref: head.ref,
      ...(head.repository === null ? {} : { repository: head.repository }),
      ...defined({ commit }),
    },
    state: doc.state,
    ...defined({ message, revision, baseRevision }),
    problems,
    ...(more > 0 ? { moreProblems: more } : {}),
    ...defined({ status }),
    createdAt: doc.createdAt,
    updatedAt: doc.updatedAt,
    urls: {
      location: `${space}/git/connections/${doc.connection}/pull-requests/${doc.number}`,
      pullRequest: doc.url,
      ...(revision === undefined ? {} : { revision: `${space}/revisions/${revision}` }),
    },
  }
}

const section = 'Connections'

export const listPullRequestPreviews = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/pull-requests',
  summary: 'List the previews of pull requests, newest pull request first',
  description:
    'If `pullRequests.preview` of the connection is set, each of the 100 newest open pull requests against its branch has a preview: a revision of the ' +
    "space with the pull request's head, and the problems that it adds. The preview is updated when the head moves, and removed when the pull request is " +
    'closed.',
  section,
  needs: 'space:view',
  query: Type.Object(pageQuery),
  returns: listOf(PullRequestPreview, { $id: 'PullRequestPreviewList' }),
  handle: async ({ app, connection, query }) => {
    const page = paginate(await listPreviews(app, connection), query, (one) => [one.number, one.id], 'desc')
    return { ...page, items: page.items.map((doc) => presentPreview(app, doc)) }
  },
})

export const getPullRequestPreview = endpoint({
  method: 'GET',
  path: '/v1/spaces/{spaceId}/git/connections/{connectionId}/pull-requests/{pullRequestNumber}',
  summary: 'Get the preview of a pull request',
  section,
  needs: 'space:view',
  returns: PullRequestPreview,
  handle: async ({ app, pullRequest }) => presentPreview(app, pullRequest),
})
