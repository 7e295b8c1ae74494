/** The conflicts of one change request: loaded files, decisions, and saving. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { ApiError, api, body, type Schemas } from '../api/client.js'
import { reload } from '../api/data.js'
import {
  type Choice,
  type ConflictFile,
  type Decisions,
  fingerprint,
  isDecided,
  type Part,
  partsOf,
  resolutionOf,
} from './decisions.js'
import { forgetOld, keep, type KeptDecisions, readKept } from './kept.js'

/** A conflict of the list, without texts. */
export type ListedConflict = Schemas['ConflictState']['conflicts'][number]
/** A conflict with its texts. */
export type LoadedConflict = Schemas['ConflictFile'] & ConflictFile

/** A stop on the screen: a part to resolve, or a file whose parts are not loaded. */
export interface Stop {
  conflict: ListedConflict
  part: Part | null
}

/** Identifies a stop while the versions of its file stay the same. */
export const stopId = ({ conflict, part }: Stop): string => `${conflict.key} ${part?.id}`

/** The result of saving. */
export type Finish = { state: 'moved'; left: number } | { state: 'saved'; merged: boolean; reason?: string }

/** Maximum number of files that are loaded in advance. */
const MAX_AHEAD = 50
const MAX_UNDO = 200

interface Step {
  mark: string
  part: string
  before: Choice | undefined
  isText: boolean
}

/** The work on one change request. */
export class ConflictWork {
  readonly state: Signal<Schemas['ConflictState'] | null> = signal(null)
  readonly error: Signal<ApiError | null> = signal(null)
  readonly files: Signal<Readonly<Record<string, LoadedConflict | ApiError>>> = signal({})
  readonly decisions: Signal<KeptDecisions> = signal({})
  readonly stops: ReadonlySignal<readonly Stop[]> = computed(() =>
    (this.state.value?.conflicts ?? []).flatMap((conflict): Stop[] => {
      const file = this.fileOf(conflict)
      return file ? partsOf(file).map((part) => ({ conflict, part })) : [{ conflict, part: null }]
    }),
  )
  readonly left: ReadonlySignal<number> = computed(() => this.stops.value.filter((stop) => !this.isDone(stop)).length)
  // bound: MAX_UNDO
  readonly #steps: Signal<readonly Step[]> = signal([])
  readonly #loading = new Set<string>()

  constructor(
    readonly spaceId: string,
    readonly number: string,
    readonly keptAs: string,
  ) {}

  get #path() {
    return { spaceId: this.spaceId, changeRequestId: this.number }
  }

  /** Loads the conflicts and the kept decisions. Files load after it, one at a time. */
  async load(): Promise<void> {
    this.decisions.value = await readKept(this.keptAs).catch(() => ({}))
    void forgetOld().catch(() => {})
    await this.list()
  }

  /** Loads the list of conflicts again. Decisions about unchanged files are kept. */
  async list(): Promise<void> {
    try {
      const found = await body(
        api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflict-state', {
          params: { path: this.#path },
        }),
      )
      this.files.value = {}
      this.#loading.clear()
      this.state.value = found
      this.error.value = null
      void this.#loadAhead(found)
    } catch (error) {
      this.error.value = error instanceof ApiError ? error : new ApiError(0, String(error))
    }
  }

  async #loadAhead(of: Schemas['ConflictState']): Promise<void> {
    for (const conflict of of.conflicts.slice(0, MAX_AHEAD))
      if (this.state.value === of) await this.loadFile(conflict.key)
  }

  /** Loads the texts of a file, unless they are loaded. */
  async loadFile(key: string): Promise<void> {
    const state = this.state.value
    if (!state || this.#loading.has(key)) return
    this.#loading.add(key)
    const query = { key, revision: state.revision, main: state.main }
    const file = await body(
      api.GET('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/conflict-state/file', {
        params: { path: this.#path, query },
      }),
    ).catch((error: unknown) => (error instanceof ApiError ? error : new ApiError(0, String(error))))
    if (this.state.value !== state) return
    if (file instanceof ApiError && file.status === 409) return this.list()
    this.files.value = { ...this.files.value, [key]: file }
  }

  /** Loads a file again after an error. */
  async retry(key: string): Promise<void> {
    this.#loading.delete(key)
    const { [key]: _failed, ...others } = this.files.value
    this.files.value = others
    await this.loadFile(key)
  }

  /** Returns a file with its texts; null if it is not loaded. */
  fileOf({ key }: Pick<ListedConflict, 'key'>): LoadedConflict | null {
    const file = this.files.value[key]
    return file === undefined || file instanceof ApiError ? null : file
  }

  /** Returns the decisions about a file. */
  decisionsOf(conflict: ListedConflict): Decisions {
    return this.decisions.value[fingerprint(conflict)] ?? {}
  }

  /** Whether a part is resolved. */
  isDone({ conflict, part }: Stop): boolean {
    return part !== null && this.decisionsOf(conflict)[part.id] !== undefined
  }

  /** Resolves a part. Continued typing in a text is one undo step. */
  decide({ conflict, part }: Stop, choice: Choice): void {
    if (part === null) return
    const mark = fingerprint(conflict)
    const isText = typeof choice === 'object'
    const last = this.#steps.value.at(-1)
    if (!(isText && last?.isText && last.mark === mark && last.part === part.id))
      this.#steps.value = [
        ...this.#steps.value,
        { mark, part: part.id, before: this.decisionsOf(conflict)[part.id], isText },
      ].slice(-MAX_UNDO)
    this.#set(mark, part.id, choice)
  }

  /** Whether there is a decision to undo. */
  get canUndo(): boolean {
    return this.#steps.value.length > 0
  }

  /** Undoes the last decision. Returns its stop. */
  undo(): Stop | null {
    const step = this.#steps.value.at(-1)
    if (!step) return null
    this.#steps.value = this.#steps.value.slice(0, -1)
    this.#set(step.mark, step.part, step.before)
    return (
      this.stops.value.find(({ conflict, part }) => fingerprint(conflict) === step.mark && part?.id === step.part) ??
      null
    )
  }

  #set(mark: string, part: string, choice: Choice | undefined): void {
    const { [part]: _before, ...others } = this.decisions.value[mark] ?? {}
    const own = choice === undefined ? others : { ...others, [part]: choice }
    this.decisions.value = { ...this.decisions.value, [mark]: own }
    void keep(this.keptAs, this.decisions.value).catch(() => {})
  }

  /**
   * Saves all decisions with one commit and, for a sync, merges the change request. If a branch has moved, lists the
   * conflicts again and keeps the decisions about files that did not change. Throws `ApiError`.
   */
  async finish({ merge }: { merge: boolean }): Promise<Finish> {
    const state = this.state.value
    if (!state) throw new ApiError(0, '')
    const resolve = state.conflicts.map((conflict) => {
      const file = this.fileOf(conflict)
      if (!file || !isDecided(file, this.decisionsOf(conflict))) throw new ApiError(0, '')
      return resolutionOf(file, this.decisionsOf(conflict))
    })
    try {
      await body(
        api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/update', {
          params: { path: this.#path },
          body: { resolve, expect: { revision: state.revision, main: state.main } },
        }),
      )
    } catch (error) {
      if (!(error instanceof ApiError) || !error.details.some(({ path }) => path?.startsWith('/expect'))) throw error
      await this.list()
      return { state: 'moved', left: this.left.value }
    }
    await keep(this.keptAs, {}).catch(() => {})
    this.decisions.value = {}
    this.#steps.value = []
    const result: Finish = merge ? await this.#merge() : { state: 'saved', merged: false }
    void reload(`space/${this.spaceId}`)
    return result
  }

  /** Merges the change request. The resolutions are already saved, so nothing is lost if a rule prevents the merge. */
  async #merge(): Promise<Finish> {
    try {
      await body(
        api.POST('/v1/spaces/{spaceId}/change-requests/{changeRequestId}/merge', { params: { path: this.#path } }),
      )
      return { state: 'saved', merged: true }
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return { state: 'saved', merged: false, reason: error.message }
    }
  }
}
