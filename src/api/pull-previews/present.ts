/** Turns previews of pull requests into the JSON that clients get. */
import type { App } from '../../domain/context/app.js'
import type { PullPreviewDoc, PullRequestPreview } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

/** Returns a pull request preview as JSON. */
export function presentPreview(app: App, doc: PullPreviewDoc): PullRequestPreview {
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
