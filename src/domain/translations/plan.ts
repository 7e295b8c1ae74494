/**
 * Plans a run: finds the source files that are new, changed, renamed or deleted since the last run, and their files in
 * the result.
 */
import type { RunResult } from '../../model/index.js'
import type { FilesAt, SpaceFile } from './files.js'
import type { KnownFile, Ledger } from './ledgers.js'

/** The action for one file of the source. */
export interface FileStep {
  file: SpaceFile
  known: KnownFile | undefined
  /** The matching file of the result, if there is one. */
  ours: SpaceFile | undefined
  /** Its path in the result. */
  to: string
  how: 'leave' | 'move' | 'copy' | 'weave'
}

export interface FilePlan {
  steps: FileStep[]
  /** Files of the result whose source was deleted. */
  gone: { known: KnownFile; ours: SpaceFile }[]
  notes: RunResult['notes']
}

/** Plans the files. `again` states whether to retry units that stayed in the source language. */
export function planFiles(source: FilesAt, ledger: Ledger, result: FilesAt, again: boolean): FilePlan {
  const gone: FilePlan['gone'] = []
  for (const known of ledger.files.values()) {
    if (source.byId.has(known.id)) continue
    const ours = result.byId.get(known.id) ?? result.byPath.get(known.path)
    // Keep an initial file of the space if it was changed.
    if (ours && !(known.source === '' && ours.oid !== known.written)) gone.push({ known, ours })
  }
  const steps = [...source.byId.values()].map((file) => stepOf(file, ledger.files.get(file.id), result, again))
  return { gone, ...withoutCollisions(steps, gone, result) }
}

function stepOf(file: SpaceFile, known: KnownFile | undefined, result: FilesAt, again: boolean): FileStep {
  const ours = result.byId.get(file.id) ?? (known ? result.byPath.get(known.path) : undefined)
  const to = known && known.path === file.path && ours ? ours.path : file.path
  const step = { file, known, ours, to }
  if (known && known.source === file.oid && known.mode === file.mode && !(again && known.kept))
    return { ...step, how: ours && ours.path !== to ? 'move' : 'leave' }
  return { ...step, how: file.isText ? 'weave' : 'copy' }
}

const OTHER_FILE = 'The translated space has another file at this path, which is not changed. Rename one of the two.'
const EDITED =
  'This file was edited in the translated space, so it is not replaced by the new version of the source. Copy that version by hand if you need it.'

/** Whether copying the file, or weaving an initial file, would overwrite changes by people. */
function wasEdited({ how, file, known, ours }: FileStep): boolean {
  if (how === 'leave' || ours === undefined || ours.oid === file.oid) return false
  return !known || ((known.source === '' || how === 'copy') && ours.oid !== known.written)
}

/** Removes the steps that would overwrite a file that people added to the result or edited there. */
function withoutCollisions(
  steps: readonly FileStep[],
  gone: FilePlan['gone'],
  result: FilesAt,
): Pick<FilePlan, 'steps' | 'notes'> {
  const vacated = new Set(gone.map(({ ours }) => ours.path))
  for (const { ours } of steps) if (ours) vacated.add(ours.path)
  const notes: FilePlan['notes'] = []
  const kept = steps.filter((step) => {
    const there = result.byPath.get(step.to)
    const isTheirs = step.how !== 'leave' && there !== undefined && !vacated.has(step.to)
    if (!isTheirs && !wasEdited(step)) return true
    notes.push({ path: step.to, reason: isTheirs || !step.known?.source ? OTHER_FILE : EDITED })
    return false
  })
  return { steps: kept, notes }
}
