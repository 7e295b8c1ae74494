// Reads the conflicts from the output of `merge-tree`.
import { required } from '../../kernel/defined.js'
import type { ConflictKind, MergeConflict, TreeEntry } from '../types.js'
import type { MergeOutput, Message, Stage } from './parse.js'

/**
 * Returns the conflicts of a merge, one per path. If Git renamed a file to make room for a folder (`name~commit`), the
 * path is the original one.
 */
export function conflictsOf({ stages, messages }: MergeOutput, commits: readonly string[]): MergeConflict[] {
  const byPath = new Map<string, Stage[]>()
  const named = messagesByPath(messages)
  const original = (path: string): string => originalPath(path, named.get(path) ?? [], commits)
  const types = new Map<string, string[]>()
  for (const [path, own] of named)
    types.set(original(path), [...(types.get(original(path)) ?? []), ...own.map(({ type }) => type)])
  for (const stage of stages) {
    const path = original(stage.path)
    const list = byPath.get(path)
    if (list) list.push(stage)
    else byPath.set(path, [stage])
  }
  return [...byPath].map(([path, found]) => {
    const side = (wanted: number): TreeEntry | undefined => {
      const stage = found.find((one) => one.stage === wanted)
      return stage && { path, mode: stage.mode, oid: stage.oid }
    }
    const [base, ours, theirs] = [side(1), side(2), side(3)]
    return {
      path,
      kind: kindOf(types.get(path) ?? [], base, ours, theirs),
      ...(base && { base }),
      ...(ours && { ours }),
      ...(theirs && { theirs }),
    }
  })
}

function messagesByPath(messages: readonly Message[]): Map<string, Message[]> {
  const found = new Map<string, Message[]>()
  for (const message of messages)
    for (const path of message.paths) {
      const own = found.get(path)
      if (own) own.push(message)
      else found.set(path, [message])
    }
  return found
}

/**
 * Undoes a rename by Git to `name~commit`, where `commit` is one of the merged commits. `messages` are those about the
 * path.
 */
function originalPath(path: string, messages: readonly Message[], commits: readonly string[]): string {
  if (!path.includes('~')) return path
  const match = /^(.+)~([0-9a-f]{40})(?:_\d+)?$/s.exec(path)
  if (!match || !commits.includes(required(match[2]))) return path
  return messages.some(({ paths }) => paths.length > 1) ? required(match[1]) : path
}

function kindOf(types: readonly string[], base?: TreeEntry, ours?: TreeEntry, theirs?: TreeEntry): ConflictKind {
  const hasType = (part: string) => types.some((type) => type.startsWith('CONFLICT') && type.includes(part))
  if (hasType('file/directory')) return 'file/directory'
  if (hasType('rename')) return 'rename'
  if (hasType('distinct modes') || hasType('distinct types')) return 'mode'
  if (hasType('modify/delete')) return 'modify/delete'
  if (hasType('binary')) return 'binary'
  if (base && (!ours || !theirs)) return 'modify/delete'
  if (ours && theirs && ours.oid === theirs.oid && ours.mode !== theirs.mode) return 'mode'
  if (!base && ours && theirs) return 'add/add'
  return 'content'
}
