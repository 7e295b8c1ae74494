/** Repositories that record which refs are read, and their heads. */
import type { CommitId, RefName } from '../kernel/ids.js'
import { overlay } from '../kernel/overlay.js'
import type { Recording } from '../kernel/recording.js'
import { arrivals } from '../kernel/arrivals.js'
import type { Git, Objects, RefStamps, Repository, Trees } from './types.js'

/** Members whose result depends only on the requested object IDs: the same call always has the same result. */
const IMMUTABLE: ReadonlySet<string | symbol> = new Set<keyof Repository | keyof Objects | keyof Trees>([
  'path',
  'signs',
  'history',
  'commit',
  'hasCommit',
  'snapshot',
  'tree',
  'diff',
  'diffText',
])

/**
 * Returns repositories that record reads of refs by name and of objects by ID. Any other read makes the recording
 * unusable.
 */
export function recordedGit(git: Git, recording: Recording): Git {
  // bound: the refs that one request reads
  const heads = new Map<string, CommitId | null>()
  const now = headsOf(git)
  const unknown = (): Git => {
    heads.clear()
    recording.recordUnknown()
    return git
  }
  /** Reads a ref from the disk once: a response must use a single moment, and reading the disk takes long. */
  const once = (name: string, ref: RefName, read: () => CommitId | null): CommitId | null => {
    const key = `ref ${name} ${ref}`
    const known = heads.get(key)
    if (known !== undefined) return known
    const found = read()
    heads.set(key, found)
    recording.recordValue(key, found, () => now.head(key, name, ref))
    return found
  }
  const own: Partial<Git> = {
    open: async (name) => {
      const { refStamps: stamps } = git
      const before = stamps?.version ?? 0
      const repository = await git.open(name)
      const read = (ref: RefName) => repository.refs.head(ref)
      const head = stamps
        ? (ref: RefName) => {
            noteStamp({ stamps, before, recording }, name, ref)
            return read(ref)
          }
        : (ref: RefName) => once(name, ref, () => read(ref))
      const asked = (member: string | symbol) => void (IMMUTABLE.has(member) || unknown())
      const own = {
        refs: overlay(() => repository.refs, { head }, { asked }),
        objects: overlay(() => repository.objects, {}, { asked }),
        trees: overlay(() => repository.trees, {}, { asked }),
      }
      return overlay(() => repository, own, { asked })
    },
    // A node that has not opened the repository may not know the head of the ref.
    head: (name, ref) => (git.refStamps ? unknown().head(name, ref) : once(name, ref, () => git.head(name, ref))),
  }
  return overlay(() => git, own, { asked: () => void unknown() })
}

interface Stamped {
  stamps: RefStamps
  /** The version of the stamps before the repository was opened. */
  before: number
  recording: Recording
}

/**
 * Records the stamp of a ref. If the ref moved after the repository was opened, either value may be read. Its stamp is
 * then greater than `before`, and never equals it.
 */
function noteStamp({ stamps, before, recording }: Stamped, name: string, ref: RefName): void {
  const stamp = (): number => stamps.stamp(name, ref)
  recording.recordValue(`ref ${name} ${ref}`, Math.min(stamp(), before), stamp, stamps)
}

/** The heads that were read for the requests of one batch: they share the reads. */
class HeadsNow {
  #batch = -1
  // bound: the refs on which responses to the requests of a batch depend
  readonly #heads = new Map<string, CommitId | null | 'unreadable'>()

  constructor(private readonly git: Git) {}

  /**
   * Returns the current head of a ref. Uses the name of the repository, because a cached response must not keep a
   * repository open.
   */
  head(key: string, name: string, ref: RefName): CommitId | null | 'unreadable' {
    const { version } = arrivals
    if (version !== this.#batch) {
      this.#heads.clear()
      this.#batch = version
    }
    let head = this.#heads.get(key)
    if (head === undefined) this.#heads.set(key, (head = this.#read(name, ref)))
    return head
  }

  #read(name: string, ref: RefName): CommitId | null | 'unreadable' {
    try {
      return this.git.head(name, ref)
    } catch {
      // The ref is damaged. The request that reads it reports the error.
      return 'unreadable'
    }
  }
}

/** By the repositories that they belong to. */
const headsNow = new WeakMap<Git, HeadsNow>()

function headsOf(git: Git): HeadsNow {
  const known = headsNow.get(git) ?? new HeadsNow(git)
  headsNow.set(git, known)
  return known
}
