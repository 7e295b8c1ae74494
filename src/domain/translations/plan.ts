/** Plans a run: which files of the source are new, changed, renamed or gone since the last run, and what the result has of them. */
import type { RunResult } from '../../model/index.js'
import type { FilesAt, SpaceFile } from './files.js'
import type { KnownFile, Ledger } from './ledgers.js'

/** What is done with one file of the source. */
export interface FileStep {
  file: SpaceFile
  known: KnownFile | undefined
  /** The file of the result that it is, if there is one. */
  ours: SpaceFile | undefined
  /** Where it is to be in the result. */
  to: string
  how: 'leave' | 'move' | 'copy' | 'weave'
}

export interface FilePlan {
  steps: FileStep[]
  /** Files of the result whose source is gone. */
  gone: { known: KnownFile; ours: SpaceFile }[]
  notes: RunResult['notes']
}

/** Plans the files. `again`: whether units that stayed in the source language are tried again. */
export function planFiles(source: FilesAt, ledger: Ledger, result: FilesAt, again: boolean): FilePlan {
  const gone: FilePlan['gone'] = []
  for (const known of ledger.files.values()) {
    if (source.byId.has(known.id)) continue
    const ours = result.byId.get(known.id) ?? result.byPath.get(known.path)
    // What the space began with stays if somebody has changed it.
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

const OF_ITS_OWN =
  'The translated space has a file of its own at this path, which stays as it is. Rename one of the two.'
const EDITED =
  'Somebody changed this file in the translated space, so it stays as it is, although the source has a new version. Take that over by hand, if it is needed.'

/** Whether copying the file, or weaving what the space began with, would overwrite what people made of it. */
function wasEdited({ how, file, known, ours }: FileStep): boolean {
  if (how === 'leave' || ours === undefined || ours.oid === file.oid) return false
  return !known || ((known.source === '' || how === 'copy') && ours.oid !== known.written)
}

/** Leaves out what would overwrite a file that people put into the result, or changed there. */
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
    notes.push({ path: step.to, reason: isTheirs || !step.known?.source ? OF_ITS_OWN : EDITED })
    return false
  })
  return { steps: kept, notes }
}
