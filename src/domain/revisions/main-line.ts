/** Finds commits of main by ID, or as the newest one at a time. Only the first-parent line counts: what main pointed to. */
import { required } from '../../kernel/defined.js'
import type { CommitId } from '../../kernel/ids.js'
import type { App } from '../context/app.js'
import type { SpaceRepository } from '../context/loaded.js'

/** A point in the history of main: a commit by the start of its ID, or the state at a time in seconds since 1970. */
export type PointInTime = { commit: string } | { seconds: number }

/** A commit of main. */
export interface MainCommit {
  id: CommitId
  /** The committer date, in seconds since 1970. */
  seconds: number
}

const COMMIT = /^[0-9a-f]{7,40}$/
const DAY = /^\d{4}-\d\d-\d\d$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)$/
/** Number of commits that are compared with a time one by one. Their dates may be in any order. */
const MAX_STEPS = 64
const DAY_SECONDS = 24 * 60 * 60

/**
 * Reads a commit ID (at least its first 7 digits), a day or a time. Null if it is none of them.
 * @param day whether a day counts from its start or up to its end, in UTC
 */
export function readPoint(text: string, day: 'start' | 'end'): PointInTime | null {
  if (COMMIT.test(text)) return { commit: text }
  if (!DAY.test(text) && !TIME.test(text)) return null
  const seconds = Math.floor(Date.parse(text) / 1000)
  if (Number.isNaN(seconds)) return null
  return { seconds: DAY.test(text) && day === 'end' ? seconds + DAY_SECONDS - 1 : seconds }
}

/**
 * Finds a commit on the first-parent line of a head. Null if it is not there, if several start with the same digits, or
 * if the line starts after the time. A time finds the newest commit that is not later. Beyond the newest `MAX_STEPS`
 * commits, dates are expected to ascend.
 */
export async function findOnMain(
  app: App,
  space: SpaceRepository,
  head: CommitId,
  point: PointInTime,
): Promise<MainCommit | null> {
  const line = await mainLine(app, space, head)
  const secondsOf = async (id: CommitId): Promise<number> => (await space.repo.objects.commit(id)).committer.seconds
  if ('commit' in point) {
    const [id, other] = line.filter((one) => one.startsWith(point.commit))
    return id === undefined || other !== undefined ? null : { id, seconds: await secondsOf(id) }
  }
  const isOld = async (at: number): Promise<boolean> => (await secondsOf(required(line[at]))) <= point.seconds
  let [low, high] = [0, line.length]
  while (low < Math.min(MAX_STEPS, line.length) && !(await isOld(low))) low++
  if (low < MAX_STEPS) high = low
  while (low < high) {
    const middle = (low + high) >> 1
    if (await isOld(middle)) high = middle
    else low = middle + 1
  }
  const id = line[low]
  return id === undefined ? null : { id, seconds: await secondsOf(id) }
}

/** Returns the commits of the first-parent line of `head` that come after one of its commits. */
export async function commitsAfter(
  app: App,
  space: SpaceRepository,
  head: CommitId,
  commit: CommitId,
): Promise<ReadonlySet<CommitId>> {
  const line = await mainLine(app, space, head)
  return new Set(line.slice(0, Math.max(0, line.indexOf(commit))))
}

/** Returns the first-parent line of a head, newest first. */
async function mainLine(app: App, space: SpaceRepository, head: CommitId): Promise<readonly CommitId[]> {
  const key = `${space.doc.id}:${head}`
  const known = app.content.mainLines.get(key)
  if (known) return known
  const line = await space.repo.history.firstParents(head)
  app.content.mainLines.set(key, line)
  return line
}
