/**
 * The task that reads a robots.txt. It runs in a thread, because matching a pattern with many stars can take
 * arbitrarily long.
 */
import robotsParser from 'robots-parser'
import { pack } from './container.js'

/** The name that a robots.txt may use for this service. */
const ROBOT = 'Bindery'
/** Maximum number of sitemaps that are read. */
const MAX_SITEMAPS = 20
const MAX_URL = 2_048

/** The robots.txt rules that apply to one page. */
export interface RobotsFacts {
  isAllowed: boolean
  /** The requested pause between two requests, in seconds. */
  delay: number
  sitemaps: string[]
}

/** The package is CommonJS: its types declare the function as a member, but Node exports the function itself. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default

/** Returns the rules of the robots.txt at `url` for `page`. */
export function readRobots(text: string, url: string, page: string): Uint8Array {
  const robots = parseRobots(url, text)
  return pack({
    isAllowed: robots.isAllowed(page, ROBOT) !== false,
    delay: robots.getCrawlDelay(ROBOT) ?? 0,
    sitemaps: robots
      .getSitemaps()
      .filter((one) => one.length <= MAX_URL)
      .slice(0, MAX_SITEMAPS),
  } satisfies RobotsFacts)
}
