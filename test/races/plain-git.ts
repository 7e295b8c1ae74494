import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { git, gitBytes } from '../support/hermetic-git.js'

/** The actions of an admin with plain Git in a bare repository. Each command is a separate process. */
export class PlainGit {
  constructor(readonly path: string) {}

  run(args: readonly string[], input?: string): Promise<string> {
    return git(this.path, args, input)
  }

  /**
   * Adds a file to a branch with commit-tree and update-ref, given the old value. Returns the commit, or null if the
   * branch had moved or was locked and nothing was done.
   */
  async addFile(ref: string, name: string, text: string): Promise<string | null> {
    const head = await this.run(['rev-parse', '--verify', ref])
    const blob = await this.run(['hash-object', '-w', '--stdin'], text)
    const entries = await this.run(['ls-tree', head])
    // Without `--missing`, `mktree` looks for its entries once and does not list the packs again. It does not find an
    // entry whose pack was just joined into another.
    const tree = await this.run(['mktree', '--missing'], `${entries}\n100644 blob ${blob}\t${name}\n`)
    const commit = await this.run(['commit-tree', tree, '-p', head, '-m', `Add ${name}`])
    return this.run(['update-ref', ref, commit, head]).then(
      () => commit,
      () => null,
    )
  }

  async commits(ref: string, ...options: string[]): Promise<Set<string>> {
    return new Set((await this.run(['rev-list', ...options, ref, '--'])).split('\n'))
  }

  /** The texts of `<commit>:<path>`, or null if there is none. One process reads all of them. */
  async texts(names: readonly string[]): Promise<(string | null)[]> {
    const bytes = await gitBytes(this.path, ['cat-file', '--batch'], names.map((name) => `${name}\n`).join(''))
    let at = 0
    return names.map(() => {
      const head = bytes.indexOf('\n', at)
      const [, type, size] = bytes.toString('utf8', at, head).split(' ')
      at = head + 1
      if (type !== 'blob') return null
      const text = bytes.toString('utf8', at, at + Number(size))
      at += Number(size) + 1
      return text.trim()
    })
  }

  /**
   * Returns the errors of `git fsck --strict`, or an empty text. If the service joins small packs at that moment, it
   * may delete a pack that fsck has listed. In that case fsck runs again.
   */
  async fsck(attempts = 5): Promise<string> {
    const found = await this.#fsckOnce()
    const isPackGone = [...found.matchAll(/packfile (\S+\.pack) index not opened/g)].some(
      ([, pack]) => !existsSync(join(this.path, pack as string)),
    )
    return isPackGone && attempts > 1 ? this.fsck(attempts - 1) : found
  }

  async #fsckOnce(): Promise<string> {
    try {
      return (await this.run(['fsck', '--strict', '--full', '--no-dangling']))
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('notice: '))
        .join('\n')
    } catch (error) {
      return (error as Error).message
    }
  }
}
