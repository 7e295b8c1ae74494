// Opens a repository with isomorphic-git, within a memory limit.
import fs from 'node:fs/promises'
import { join } from 'node:path'

/** Maximum number of pack bytes that isomorphic-git gets, because it reads whole packs into memory. */
export const MAX_PACK_BYTES = 128 * 1024 * 1024

interface SecondObject {
  type: string
  content: Buffer
}

/** A pack that the second reader does not see. */
interface LeftPack {
  name: string
  bytes: number
}

/** A repository as isomorphic-git reads it, independently of this code and of Git. */
export interface SecondReader {
  readonly left: readonly LeftPack[]
  refs(): Promise<string[]>
  resolve(ref: string): Promise<string>
  /** Returns an object. Throws errors of the library, including one for content that does not match the ID. */
  object(oid: string): Promise<SecondObject>
  /** Returns entries by name: mode and object ID. */
  tree(oid: string): Promise<Map<string, string>>
  commit(oid: string): Promise<{ tree: string; parents: string[] }>
}

/** Opens a repository for the second reader, with the smallest packs up to `maxPackBytes` in total. */
export async function openSecondReader(repository: string, maxPackBytes: number): Promise<SecondReader> {
  // Loaded here, because a start should not wait for a library that only a deep check needs.
  const { default: git } = await import('isomorphic-git')
  const folder = join(repository, 'objects/pack')
  const packs: LeftPack[] = []
  for (const name of await fs.readdir(folder))
    if (name.endsWith('.pack')) packs.push({ name, bytes: (await fs.stat(join(folder, name))).size })
  let room = maxPackBytes
  const left = packs
    .sort((a, b) => a.bytes - b.bytes)
    .filter(({ bytes }) => {
      room -= bytes
      return room < 0
    })
  const hidden = new Set(left.map(({ name }) => name.replace(/\.pack$/, '.idx')))
  const listed = async (path: string): Promise<string[]> => (await fs.readdir(path)).filter((name) => !hidden.has(name))
  const common = { fs: { promises: { ...fs, readdir: listed } }, gitdir: repository, cache: {} }
  return {
    left,
    refs: async () => (await git.listRefs({ ...common, filepath: 'refs' })).map((name) => `refs/${name}`),
    resolve: (ref) => git.resolveRef({ ...common, ref }),
    async object(oid) {
      const { type, object } = await git.readObject({ ...common, oid, format: 'content' })
      return { type: String(type), content: Buffer.from(object as Uint8Array) }
    },
    async tree(oid) {
      const { tree } = await git.readTree({ ...common, oid })
      return new Map(tree.map((entry) => [entry.path, `${entry.mode} ${entry.oid}`]))
    },
    async commit(oid) {
      const { commit } = await git.readCommit({ ...common, oid })
      return { tree: commit.tree, parents: commit.parent }
    },
  }
}
