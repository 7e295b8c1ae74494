/** The task that reads a robots.txt: in a thread, since a pattern of many stars takes as long as its author likes. */
import robotsParser from 'robots-parser'
import { pack } from './container.js'

/** The name by which robots.txt may address this service. */
const ROBOT = 'Bindery'
/** Most sitemaps that are looked at. */
const MAX_SITEMAPS = 20
const MAX_URL = 2_048

/** What a robots.txt says about one page. */
export interface RobotsFacts {
  isAllowed: boolean
  /** Pause that it asks for between two requests, in seconds. */
  delay: number
  sitemaps: string[]
}

/** The package is CommonJS: its types name the function as a member of what Node gives as the function itself. */
const parseRobots = robotsParser as unknown as typeof robotsParser.default

/** Asks the robots.txt at `url` about `page`. */
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
