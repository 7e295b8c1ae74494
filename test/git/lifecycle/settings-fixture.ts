/**
 * Two repositories with the same refs: the server moves the refs of one, Git those of its twin, and an admin makes
 * the same changes in both.
 */
import { spawnSync } from 'node:child_process'
import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { GitError, type Git, type RefMove, type Repository } from '../../../src/git/index.js'
import { gitOptions, hermeticEnvironment } from '../../../src/git/process/environment.js'
import type { CommitId, RefName } from '../../../src/kernel/ids.js'
import { anyLease } from '../../support/lease.js'
import { commit } from '../fixture.js'

export type Folder = { path: string }
export interface Pair {
  ours: Repository
  twin: Repository
  ids: CommitId[]
}
/** The ways in which a file gets a new text: overwritten or replaced, with the old or a new modification time. */
export type Way = 'over' | 'over, same time' | 'rename' | 'rename, same time'
export const WAYS: readonly Way[] = ['over', 'over, same time', 'rename', 'rename, same time']

let count = 0
export async function makePair(git: Git): Promise<Pair> {
  const name = `pair${++count}`
  const ours = await git.create(name)
  const ids: CommitId[] = []
  for (let n = 0; n < 4; n++) ids.push(await commit(ours, [], { x: String(n) }))
  await ours.refs.move([{ ref: 'refs/heads/main' as RefName, from: null, to: ids[0] as CommitId }], 'start', anyLease)
  const twin = await git.duplicate(name, `${name}twin`)
  for (const { path } of [ours, twin]) rmSync(join(path, 'logs'), { recursive: true, force: true })
  rmSync(join(twin.path, 'packed-refs'))
  writeFileSync(join(twin.path, 'refs/heads/main'), `${ids[0]}\n`)
  return { ours, twin, ids }
}

export const both = (pair: Pair, change: (folder: Folder) => void): void => {
  change(pair.twin)
  change(pair.ours)
}

/** Runs Git as the server does. */
export function gitAlone(folder: Folder, args: readonly string[], input = ''): { done: boolean; text: string } {
  const { status, stdout, stderr } = spawnSync('git', [...gitOptions, ...args], {
    cwd: folder.path,
    env: hermeticEnvironment('/nonexistent'),
    input,
  })
  return { done: status === 0, text: `${stdout}${stderr}` }
}

export function put(file: string, text: string, way: Way): void {
  const path = way.startsWith('rename') ? `${file}.next` : file
  writeFileSync(path, text)
  // A whole second, so that all digits are the same.
  if (way.endsWith('same time')) utimesSync(path, 1_600_000_000, 1_600_000_000)
  if (path !== file) renameSync(path, file)
}

const zero = '0'.repeat(40)
const line = ({ ref, from, to }: RefMove): string =>
  to === null ? `delete ${ref} ${from ?? zero}` : `update ${ref} ${to} ${from ?? zero}`
export const movedByGit = (
  folder: Folder,
  moves: readonly RefMove[],
  reason: string,
): { done: boolean; text: string } =>
  gitAlone(
    folder,
    ['update-ref', '-m', `bindery: ${reason}`, '--stdin'],
    `start\n${moves.map(line).join('\n')}\nprepare\ncommit\n`,
  )

export const movedByUs = ({ ours }: Pair, moves: readonly RefMove[], reason: string): Promise<GitError | null> =>
  ours.refs.move(moves, reason, anyLease).then(
    () => null,
    (error) => {
      if (error instanceof GitError) return error
      throw error
    },
  )

/** Refs, reflogs, locks and folders, with their modes, without times. */
export function stateOf(folder: Folder): string[] {
  const found: string[] = []
  const look = (path: string): void => {
    const file = join(folder.path, path)
    const stat = lstatSync(file)
    const mode = (stat.mode & 0o7777).toString(8)
    if (stat.isDirectory()) {
      found.push(`${path}/ ${mode}`)
      for (const name of readdirSync(file).sort()) look(join(path, name))
    } else if (stat.isSymbolicLink()) found.push(`${path} -> ${readlinkSync(file)}`)
    else found.push(`${path} ${mode} ${readFileSync(file, 'latin1').replace(/> \d{10} [+-]\d{4}/g, '>')}`)
  }
  for (const name of readdirSync(folder.path).sort())
    if (!/^(objects|info|config.*|description|hooks|branches|bindery-moving)$/.test(name)) look(name)
  return found
}

/** A config with a fixed size that has these lines in its section `core`: before a comment, or after a longer one. */
export function settingsText(lines: string, long: boolean): string {
  const core = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n'
  const text = `\t${lines}\n[gc]\n\tauto = 0\n`
  const comment = `# ${'-'.repeat((long ? 900 : 300) - core.length - text.length)}\n`
  return long ? `${core}${comment}${text}` : `${core}${text}${comment}`
}
