import type { Samples, SpecialSamples } from './samples.js'

/** A review, and a requested reviewer. */
export const reviewSamples: Samples = async (here, before) => {
  const reviewer = await here.caller('review')
  const base = `/v1/spaces/${before.spaceId}/change-requests/${before.changeRequestId}`
  const review = (
    await reviewer.call('post', `${base}/reviews`, { status: 'approved', comment: { markdown: 'Fine.' } }).expect(201)
  ).body.id as string
  const parameters = { ...before, reviewId: review }
  // A change request that no other probe changes, so that its page keeps its version.
  const quiet = await here.admin
    .call('post', `/v1/spaces/${before.spaceId}/change-requests`, { subject: 'Quiet' })
    .expect(201)
  const quietId = quiet.body.id as string
  const { version } = (
    await here.admin
      .call('get', `/v1/spaces/${before.spaceId}/change-requests/${quietId}/changes/page/${before.pageId}`)
      .expect(200)
  ).body
  const special: SpecialSamples = {
    markPageViewed: { parameters: { ...parameters, changeRequestId: quietId, pageVersion: version } },
    requestReviewersForChangeRequest: { parameters: { ...parameters, userId: reviewer.user } },
    removeRequestedReviewerFromChangeRequest: { parameters: { ...parameters, userId: reviewer.user }, success: true },
  }
  return { parameters, special }
}
