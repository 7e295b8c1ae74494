import type { Samples, SpecialSamples } from './samples.js'

/** Comments with replies on a space and on a change request. Endpoints that use them up get new ones. */
export const commentSamples: Samples = async ({ admin }, parameters) => {
  const body = { body: { markdown: 'Probed.' } }
  const space = `/v1/spaces/${parameters.spaceId}`
  const special: SpecialSamples = {}
  const thread = async (base: string) => {
    const made = async (path: string) => (await admin.call('post', path, body).expect(200)).body.id as string
    const commentId = await made(`${base}/comments`)
    return { ...parameters, commentId, commentReplyId: await made(`${base}/comments/${commentId}/replies`) }
  }
  for (const [where, base] of [
    ['Space', space],
    ['ChangeRequest', `${space}/change-requests/${parameters.changeRequestId}`],
  ] as const) {
    const ask = async (operation: string, sent?: object) => {
      special[`${operation}In${where}`] = {
        parameters: await thread(base),
        ...(sent ? { body: sent } : {}),
        success: true,
      }
    }
    for (const operation of ['listComments', 'getComment', 'listCommentReplies', 'getCommentReply'])
      await ask(operation)
    for (const operation of ['postComment', 'postCommentReply']) await ask(operation, body)
    for (const operation of ['deleteComment', 'deleteCommentReply'])
      special[`${operation}In${where}`] = { parameters: await thread(base) }
    // Actions on an admin's comment that every commenter may take. Deleting it is not one of them.
    for (const operation of ['updateComment', 'updateCommentReply']) await ask(operation, { addedReactions: ['👍'] })
  }
  // The comment has no suggestion, so that accepting it returns 409.
  special['acceptSuggestionInChangeRequest'] = {
    parameters: await thread(`${space}/change-requests/${parameters.changeRequestId}`),
  }
  return { parameters: await thread(space), special }
}
