import type { Samples, SpecialSamples } from './samples.js'

/** A review, and a requested reviewer. */
export const reviewSamples: Samples = async (here, before) => {
  const reviewer = await here.caller('review')
  const base = `/v1/spaces/${before.spaceId}/change-requests/${before.changeRequestId}`
  const review = (
    await reviewer.call('post', `${base}/reviews`, { status: 'approved', comment: { markdown: 'Fine.' } }).expect(201)
  ).body.id as string
  const parameters = { ...before, reviewId: review }
  const special: SpecialSamples = {
    requestReviewersForChangeRequest: { parameters: { ...parameters, userId: reviewer.user } },
    removeRequestedReviewerFromChangeRequest: { parameters: { ...parameters, userId: reviewer.user }, success: true },
  }
  return { parameters, special }
}
