/** Reads and applies a website's robots.txt. */
import type { RobotsFacts } from '../../../conversion/index.js'
import { ResourceFailure } from '../failure.js'
import type { Gathering } from '../gathering.js'
import { converted } from '../read-document.js'

/** Maximum size of a robots.txt in bytes. */
const MAX_BYTES = 512 * 1024
const MAX_DELAY_MS = 10_000

/** The rules of one origin. */
export interface Robots {
  /** Whether a page may be read. Throws `ResourceFailure` if evaluating the rules takes too long. */
  allows(url: string): Promise<boolean>
  delayMs: number
  sitemaps: string[]
  /** The reason why the rules could not be read. They then forbid all pages. */
  unread?: string
}

const allowAll: Robots = { allows: async () => true, delayMs: 0, sitemaps: [] }
const forbidAll = (unread: string): Robots => ({ allows: async () => false, delayMs: 0, sitemaps: [], unread })

/** Reads an origin's robots.txt. A missing one allows all pages. One that cannot be read now forbids all (RFC 9309). */
export async function readRobots(gathering: Gathering, origin: string): Promise<Robots> {
  const url = `${origin}/robots.txt`
  const rules = await fetchRules(gathering, url)
  if (typeof rules !== 'string') return rules
  const ask = async (page: string): Promise<RobotsFacts> =>
    (await converted(gathering.app.conversions.run<RobotsFacts>(gathering.spaceId, 'robots', [rules, url, page]))).facts
  try {
    const { delay, sitemaps } = await ask(origin)
    return {
      allows: async (page) => (await ask(page)).isAllowed,
      delayMs: Math.min(MAX_DELAY_MS, Math.max(0, delay * 1000)),
      sitemaps,
    }
  } catch (error) {
    if (error instanceof ResourceFailure) return forbidAll(error.message)
    throw error
  }
}

/** Returns the text of the rules, or the default if there are none. */
async function fetchRules(gathering: Gathering, url: string): Promise<string | Robots> {
  try {
    const { status, body } = await gathering.fetcher.get(url, { maxBytes: MAX_BYTES })
    if (status >= 500) return forbidAll(`It returned status ${status}.`)
    return status >= 200 && status < 300 && body.length > 0 ? body.toString('utf8') : allowAll
  } catch (error) {
    if (error instanceof ResourceFailure) return forbidAll(error.message)
    throw error
  }
}
