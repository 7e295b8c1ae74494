/** Opens a folder of documentation for `preview` and `check`, in a new service with its data in a temporary folder. */
import { rmSync } from 'node:fs'
import { mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative, resolve, sep } from 'node:path'
import { loadConfig } from '../config.js'
import type { Actor } from '../domain/context/actor.js'
import type { LoadedSpace } from '../domain/context/loaded.js'
import { MAIN } from '../domain/context/refs.js'
import { openMain } from '../domain/revisions/main-content.js'
import type { OpenRevision } from '../domain/revisions/revisions.js'
import { createSpace } from '../domain/spaces/spaces.js'
import { GitError, type RecordedTree, WorkingTree } from '../git/index.js'
import { createLog } from '../kernel/log.js'
import { errorCode } from '../kernel/thrown.js'
import { type Overrides, type Service, start } from '../server.js'
import { OperatorError } from './maintenance.js'

/** An open folder. */
export interface OpenFolder {
  service: Service
  actor: Actor
  space: LoadedSpace
  working: WorkingTree
  /** The path of the folder from the root of its Git repository, or from the folder that the user named; '' = the same. */
  prefix: string
  /** Imports the current files into the space. Returns whether anything changed, and the omitted files. */
  update(): Promise<Pick<RecordedTree, 'leftOut'> & { changed: boolean }>
  /** Returns the content of the last import into the space. */
  revision(): Promise<OpenRevision>
  close(): Promise<void>
}

interface FolderOptions {
  /** The folder of the documentation in a monorepo, relative to `folder`. */
  project?: string | undefined
  /** Port of the site; 0 = any free port. Without it, there is no server for a site. */
  sitesPort?: number
  reload?: Overrides['reload']
}

/** The folder for all data until the process ends. */
const TEMPORARY = 'bindery-preview-'

/** Opens a folder. Throws `OperatorError` if there is no such folder, or it exceeds a limit. */
export async function openFolder(folder: string, options: FolderOptions = {}): Promise<OpenFolder> {
  const content = await contentFolder(folder, options.project)
  const above = await realpath(tmpdir())
  await removeLeftovers(above)
  const temporary = await mkdtemp(join(above, `${TEMPORARY}${process.pid}-`))
  // Runs whenever the process ends, even after a signal or an error.
  const remove = (): void => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 })
  process.once('exit', remove)
  try {
    const opened = await openIn(temporary, content, options)
    const prefix = relative(opened.working.root ?? (await realpath(folder)), content)
      .split(sep)
      .join('/')
    return {
      ...opened,
      prefix,
      close: async () => {
        await opened.service.close()
        remove()
        process.off('exit', remove)
      },
    }
  } catch (error) {
    throw error instanceof GitError ? new OperatorError(error.message) : error
  }
}

/** Removes the folders of previews that were killed. The names of the folders contain the ID of their process. */
async function removeLeftovers(above: string): Promise<void> {
  const names = await readdir(above).catch((): string[] => [])
  const ended = names
    .flatMap((name) => new RegExp(`^${TEMPORARY}(\\d+)-`).exec(name)?.[1] ?? [])
    .filter((id) => !isRunning(Number(id)))
  // Folders of another user are kept.
  for (const name of names)
    if (ended.some((id) => [TEMPORARY, 'bindery-git-'].some((start) => name.startsWith(`${start}${id}-`))))
      await rm(join(above, name), { recursive: true, force: true }).catch(() => {})
}

/** Whether a process exists. A process of another user exists but cannot be signaled. */
function isRunning(id: number): boolean {
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}

/** Returns the folder of the documentation. Throws `OperatorError`. */
async function contentFolder(folder: string, project: string | undefined): Promise<string> {
  const whole = await realFolder(folder)
  if (project === undefined) return whole
  const part = await realFolder(resolve(whole, project))
  if (part !== whole && !part.startsWith(whole + sep))
    throw new OperatorError(`--project ${project} is not below ${folder}. Name a folder relative to it.`)
  return part
}

async function realFolder(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null)
  if (!found?.isDirectory()) throw new OperatorError(`${folder} is not a folder. Name the folder of the documentation.`)
  return realpath(folder)
}

async function openIn(
  temporary: string,
  folder: string,
  { sitesPort, reload }: FolderOptions,
): Promise<Omit<OpenFolder, 'prefix' | 'close'>> {
  // Ignore the settings of a server on this machine.
  const config = loadConfig({
    BINDERY_SAMPLE_SITE: 'false',
    BINDERY_SITES_PORT: String(sitesPort ?? 0),
    BINDERY_DATA_DIR: join(temporary, 'data'),
    BINDERY_REPOS_DIR: join(temporary, 'repos'),
  })
  const service = await start(config, {
    log: createLog({ level: 'silent' }),
    withoutWorker: true,
    templates: new Map(),
    serves: sitesPort === undefined ? [] : ['sites'],
    ...(reload ? { reload } : {}),
  })
  const { app, first } = service
  const actor: Actor = { user: first.user, token: { id: 'local', readOnly: false } }
  const title = [...basename(folder)].slice(0, 50).join('') || 'Documentation'
  const space = await createSpace(app, actor, { doc: first.organization, role: 'admin' }, { title })
  const working = await WorkingTree.open(folder, space.repo.path, join(temporary, 'index'), {
    maxFiles: config.treeLimitEntries,
    maxFolderEntries: config.folderLimitEntries,
    maxBlobBytes: config.blobLimitBytes,
    maxBytes: config.packLimitBytes,
  })
  let shown: string | null = null
  const update: OpenFolder['update'] = async () => {
    const { tree, leftOut } = await working.record()
    if (tree === shown) return { leftOut, changed: false }
    const from = space.repo.refs.head(MAIN)
    const signature = {
      name: 'Working tree',
      email: 'bindery@localhost',
      seconds: Math.floor(Date.now() / 1000),
      offset: 0,
    }
    const to = await space.repo.objects.write({
      // The first commit does not build on the commit of the empty space.
      parents: from === null || shown === null ? [] : [from],
      tree,
      changes: [],
      message: 'Working tree\n',
      author: signature,
      committer: signature,
    })
    await app.locks.run(space.doc.id, (lease) => space.repo.refs.move([{ ref: MAIN, from, to }], 'working tree', lease))
    shown = tree
    return { leftOut, changed: true }
  }
  return { service, actor, space, working, update, revision: async () => openMain(app, space) }
}
