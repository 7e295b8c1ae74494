/** The routes of change requests and of the history. */
import type { Route, Screen } from '../screen.js'

/** Returns a route. Its parameters are named in the screen, because the type of the routes knows no names. */
const route = (pattern: string, load: () => Promise<unknown>): Route => ({
  pattern,
  load: load as () => Promise<Screen>,
})

const REQUEST = '/s/:space/c/:number'

export const REVIEW_ROUTES: readonly Route[] = [
  route('/s/:space/c', async () => (await import('../screens/change-requests.js')).ChangeRequests),
  route(REQUEST, async () => (await import('../screens/change-request.js')).ChangeRequestScreen),
  route(`${REQUEST}/source`, async () => (await import('../screens/change-source.js')).ChangeSource),
  route(`${REQUEST}/discussion`, async () => (await import('../screens/change-discussion.js')).ChangeDiscussion),
  route(`${REQUEST}/preview`, async () => (await import('../screens/change-preview.js')).ChangePreview),
  route(`${REQUEST}/activity`, async () => (await import('../screens/change-activity.js')).ChangeActivity),
  route('/s/:space/history', async () => (await import('../screens/history.js')).SpaceHistory),
  route('/s/:space/p/:page/history', async () => (await import('../screens/history.js')).PageHistory),
]
