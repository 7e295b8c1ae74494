/** The state of the conflict screen: the current conflict, the open text field, and the announcements. */
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo, useRef } from 'preact/hooks'
import { ApiError } from '../api/client.js'
import { address, open } from '../route.js'
import type { Space } from '../space/space.js'
import { explain, toast } from '../shell/toast.js'
import { fill, plural } from '../words/index.js'
import { type Choice, isWritable, optionsOf, type Part } from './decisions.js'
import { useConflictKeys } from './keys.js'
import { choiceName, fileName } from './names.js'
import { type ConflictWork, type Finish, type LoadedConflict, type Stop, stopId } from './work.js'
import { conflictWords } from './words.js'

/** The DOM ID of a stop. */
export const domId = (at: number): string => `conflict-${at}`

/** The state and the actions of the screen. */
export class ConflictScreen {
  /** The text for screen readers. */
  readonly said: Signal<string> = signal('')
  /** The reason why the last attempt to save failed. */
  readonly failure: Signal<string | null> = signal(null)
  readonly isSaving: Signal<boolean> = signal(false)
  readonly isPreview: Signal<boolean> = signal(false)
  /** The index of the current stop. */
  readonly current: ReadonlySignal<number>
  readonly #mark: Signal<{ stop: string; file: string } | null> = signal(null)
  /** The action of a key that was pressed before the text of its file was loaded. */
  #queued: { file: string; run: () => void } | null = null
  readonly #editing: Signal<string | null> = signal(null)

  /** @param at the file in the address, from 0 */
  constructor(
    readonly work: ConflictWork,
    public space: Space,
    at: number,
  ) {
    this.current = computed(() => {
      const stops = work.stops.value
      const mark = this.#mark.value
      const known = stops.findIndex((stop) => stopId(stop) === mark?.stop)
      // A file whose text has been loaded since has other stops.
      const key = mark?.file ?? work.state.value?.conflicts[at]?.key
      return known >= 0
        ? known
        : Math.max(
            0,
            stops.findIndex((stop) => stop.conflict.key === key),
          )
    })
  }

  get host(): string | undefined {
    return this.work.state.value?.host
  }

  get canEdit(): boolean {
    return this.space.permissions.edit && !this.isSaving.value
  }

  /** Whether finishing merges the change request: that of a sync is merged at once. */
  get canMerge(): boolean {
    return this.host !== undefined && this.space.permissions.merge
  }

  get view(): 'rendered' | 'source' {
    return address.value.query.get('view') === 'source' ? 'source' : 'rendered'
  }

  isEditing(stop: Stop): boolean {
    return this.#editing.value === stopId(stop)
  }

  /** Makes a stop the current one, and puts its file into the address. */
  setCurrent(index: number): void {
    const stop = this.work.stops.value[index]
    if (!stop || this.#mark.value?.stop === stopId(stop)) return
    this.#mark.value = { stop: stopId(stop), file: stop.conflict.key }
    const file = (this.work.state.value?.conflicts.indexOf(stop.conflict) ?? 0) + 1
    const { path, query } = address.value
    const wanted = path.replace(/[^/]+$/, `${file}`)
    const search = query.size > 0 ? `?${query}` : ''
    // With a hash in the address, the scroll position is unchanged.
    if (wanted !== path) open(`${wanted}${search}#${domId(index)}`, { replace: true })
  }

  /** Makes a stop the current one, scrolls to it and gives it the focus. */
  show(index: number): void {
    this.setCurrent(index)
    requestAnimationFrame(() => {
      const element = document.getElementById(domId(index))
      element?.focus({ preventScroll: true })
      element?.scrollIntoView({ block: 'start' })
    })
  }

  /** Goes to the next or the previous stop. */
  go(by: 1 | -1): void {
    this.#editing.value = null
    this.show(Math.min(this.work.stops.value.length - 1, Math.max(0, this.current.value + by)))
  }

  /** Resolves a part. With `moves`, continues with the next unresolved one. */
  decide(stop: Stop, choice: Choice, { moves = false }: { moves?: boolean } = {}): void {
    const w = conflictWords()
    this.work.decide(stop, choice)
    const left = this.work.left.value
    if (typeof choice !== 'object')
      this.said.value = fill(w.announce, {
        file: fileName(stop.conflict),
        choice: choiceName(choice, this.host),
        left: left === 0 ? w.allDecided : plural(w.left, left),
      })
    if (moves) this.#showNextLeft(stop)
  }

  #showNextLeft(after: Stop): void {
    const stops = this.work.stops.value
    const from = stops.findIndex((one) => stopId(one) === stopId(after))
    const order = [...stops.slice(from + 1), ...stops.slice(0, from)]
    const next = order.find((one) => !this.work.isDone(one))
    if (next) this.show(stops.indexOf(next))
  }

  undo(): void {
    const stop = this.work.undo()
    if (!stop) return
    this.#editing.value = null
    this.said.value = fill(conflictWords().announceUndone, { file: fileName(stop.conflict) })
    this.show(this.work.stops.value.findIndex((one) => stopId(one) === stopId(stop)))
  }

  /** Opens the text field of a part. Null closes it. */
  edit(stop: Stop | null): void {
    const wasOpen = this.#editing.value !== null
    this.#editing.value = stop && stopId(stop)
    if (stop === null && wasOpen) this.show(this.current.value)
  }

  /** Whether the keys wait for a text. */
  get isWaiting(): boolean {
    return this.work.stops.value[this.current.value]?.part === null
  }

  /**
   * Returns the current part if it can be changed, and otherwise says why not. If its text is not there yet, `again`
   * runs when it is.
   */
  #changeable(again: () => void): { stop: Stop; file: LoadedConflict; part: Part } | null {
    const w = conflictWords()
    const stop = this.work.stops.value[this.current.value]
    const file = stop && this.work.fileOf(stop.conflict)
    if (stop?.part && file && this.canEdit) return { stop, file, part: stop.part }
    if (!this.space.permissions.edit) this.said.value = w.readOnly
    else if (stop && this.work.files.value[stop.conflict.key] instanceof ApiError)
      this.said.value = fill(w.announceNotLoaded, { file: fileName(stop.conflict) })
    else if (stop && !stop.part) {
      this.#queued = { file: stop.conflict.key, run: again }
      this.said.value = fill(w.announceWaits, { file: fileName(stop.conflict) })
      void this.work.loadFile(stop.conflict.key)
    } else if (!stop) this.said.value = w.announceLoading
    return null
  }

  /** Runs the action of a key that waits, if the text is loaded now and its file is still the current one. */
  textsLoaded(): void {
    const queued = this.#queued
    if (queued && this.work.files.value[queued.file] instanceof ApiError) this.#queued = null
    const stop = this.work.stops.value[this.current.value]
    if (!queued || (stop?.conflict.key === queued.file && stop.part === null)) return
    this.#queued = null
    if (stop?.conflict.key === queued.file) queued.run()
  }

  /** Makes a choice for the current part, if it offers that choice. */
  take(choice: Exclude<Choice, object>): void {
    const found = this.#changeable(() => this.take(choice))
    if (!found) return
    if (!optionsOf(found.file, found.part).includes(choice)) {
      this.said.value = fill(conflictWords().announceNoChoice, { choice: choiceName(choice, this.host) })
      return
    }
    this.#editing.value = null
    this.decide(found.stop, choice, { moves: true })
  }

  /** Opens the text field of the current part, if it has one. */
  editCurrent(): void {
    const found = this.#changeable(() => this.editCurrent())
    if (!found) return
    if (!isWritable(found.file, found.part)) {
      this.said.value = conflictWords().announceNoText
      return
    }
    document.getElementById(domId(this.current.value))?.scrollIntoView({ block: 'start' })
    this.edit(found.stop)
  }

  /** Saves everything, or goes to the first unresolved part. */
  async finish(): Promise<void> {
    const { work } = this
    if (!work.state.value) this.said.value = conflictWords().announceLoading
    if (!this.canEdit || work.stops.value.length === 0) return
    if (work.left.value > 0) {
      this.said.value = plural(conflictWords().leftReason, work.left.value)
      this.show(work.stops.value.findIndex((stop) => !work.isDone(stop)))
      return
    }
    this.isSaving.value = true
    this.failure.value = null
    try {
      this.#tell(await work.finish({ merge: this.canMerge }))
    } catch (error) {
      this.failure.value = error instanceof ApiError ? explain(error) : String(error)
      scrollTo(0, 0)
    } finally {
      this.isSaving.value = false
      this.isPreview.value = false
    }
  }

  #tell(result: Finish): void {
    const w = conflictWords()
    if (result.state === 'moved') {
      toast(w.movedSince)
      return
    }
    const { merged, reason } = result
    toast(merged ? w.savedMerged : reason === undefined ? w.saved : fill(w.savedNotMerged, { reason }))
    open(`/s/${this.space.id}/c/${this.work.number}`)
  }
}

/** Returns the state and the actions of the screen, and connects its keys. */
export function useConflicts(work: ConflictWork, space: Space, at: number): ConflictScreen {
  // Later addresses of the same screen come from the screen itself.
  const screen = useMemo(() => new ConflictScreen(work, space, at), [work])
  screen.space = space
  useConflictKeys(screen)
  const loaded = Object.keys(work.files.value).length
  useEffect(() => screen.textsLoaded(), [loaded])
  const isUsed = useRef(false)
  useEffect(() => {
    const use = (): void => void (isUsed.current = true)
    for (const type of ['keydown', 'pointerdown', 'wheel']) addEventListener(type, use, { once: true, passive: true })
  }, [])
  // Files that load above the current one would move it, so it is kept in view until the user scrolls.
  useEffect(() => {
    if (!isUsed.current && screen.current.value > 0) screen.show(screen.current.value)
  }, [loaded])
  return screen
}
