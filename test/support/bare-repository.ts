import { existsSync, readFileSync } from 'node:fs'
import { appendFile, chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { git } from './hermetic-git.js'

/**
 * Paths and their contents. Null deletes. A target in `{link}` makes a symbolic link, a commit in `{submodule}` a
 * submodule.
 */
export type Files = Record<string, string | Buffer | { link: string } | { submodule: string } | null>

export interface RepositoryContent {
  /** A bundle with the initial refs of the repository. */
  fromBundle?: string
  /** Files of a first commit on main. */
  files?: Files
  /** Date of the first commit, in seconds since 1970. Each later commit is one second later. */
  seconds?: number
}

export interface BareRepository {
  path: string
  /** Date of the next commit. */
  readonly seconds: number
  /**
   * Commits files on top of a branch (by default main) and returns the commit. Names are not checked, so invalid ones
   * are possible.
   */
  commit(files: Files, options?: { message?: string; ref?: string }): Promise<string>
  /** The target of a ref, or null if it is absent. */
  head(ref?: string): Promise<string | null>
  /** Rejects every push in a pre-receive hook with `message`. Null accepts pushes again. */
  rejectPushes(message: string | null): Promise<void>
}

const data = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')])

const quote = (path: string): string => `"${path.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`

const content = (value: string | Buffer | { link: string }): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.from(typeof value === 'string' ? value : value.link)

const change = (path: string, value: Files[string]): Buffer => {
  if (value === null || value === undefined) return Buffer.from(`D ${quote(path)}\n`)
  if (typeof value === 'object' && 'submodule' in value)
    return Buffer.from(`M 160000 ${value.submodule} ${quote(path)}\n`)
  const mode = typeof value === 'object' && 'link' in value ? '120000' : '100644'
  return Buffer.concat([Buffer.from(`M ${mode} inline ${quote(path)}\n`), data(content(value))])
}

/** Whether a repository has a ref. */
function isThere(path: string, ref: string): boolean {
  const packed = join(path, 'packed-refs')
  return existsSync(join(path, ref)) || (existsSync(packed) && readFileSync(packed, 'utf8').includes(` ${ref}\n`))
}

/** Creates a bare repository at `path` that accepts pushes over HTTP. */
export async function createBareRepository(
  path: string,
  { fromBundle, files, seconds: clock = 1_700_000_000 }: RepositoryContent = {},
): Promise<BareRepository> {
  await mkdir(path, { recursive: true })
  // Without Git's template, which contains a dozen sample files, but with the hooks folder.
  await git(path, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '.'])
  await mkdir(join(path, 'hooks'), { recursive: true })
  await appendFile(join(path, 'config'), '[http]\n\treceivepack = true\n')
  if (fromBundle) await git(path, ['fetch', '--quiet', fromBundle, '+refs/*:refs/*'])
  const repository: BareRepository = {
    path,
    get seconds() {
      return clock
    },
    async commit(changes, { message = 'Change', ref = 'refs/heads/main' } = {}) {
      const signature = `Ada Author <ada@example.com> ${clock++} +0000`
      const head = `commit ${ref}\nmark :1\nauthor ${signature}\ncommitter ${signature}\n`
      const entries = Object.entries(changes).map(([name, value]) => change(name, value))
      // Not forced: a push that arrives first stays, and the commit is repeated on top of it, as people do.
      for (let tries = 1; ; tries++) {
        const stream = [
          Buffer.from(head),
          data(Buffer.from(message)),
          Buffer.from(isThere(path, ref) ? `from ${ref}^0\n` : ''),
        ]
        const script = Buffer.concat([...stream, ...entries, Buffer.from('get-mark :1\n')])
        try {
          return await git(path, ['fast-import', '--quiet'], script)
        } catch (error) {
          if (tries === 10 || !/Not updating|cannot lock ref/.test(String(error))) throw error
        }
      }
    },
    head: (ref = 'refs/heads/main') => git(path, ['rev-parse', '--verify', '--quiet', ref]).catch(() => null),
    async rejectPushes(message) {
      const hook = join(path, 'hooks', 'pre-receive')
      const text = message === null ? 'exit 0' : `cat >/dev/null\ncat >&2 <<'WORDS'\n${message}\nWORDS\nexit 1`
      await writeFile(hook, `#!/bin/sh\n${text}\n`)
      await chmod(hook, 0o755)
    },
  }
  if (files) await repository.commit(files, { message: 'First' })
  return repository
}
