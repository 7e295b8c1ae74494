/** Finds repositories with many packs: looking up a missing object searches all of them. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { NAME } from './paths.js'

/** Returns the names of the repositories in a folder with more than `packs` packs, the fullest first. */
export async function crowdedRepositories(reposDir: string, packs: number): Promise<string[]> {
  const crowded: { name: string; count: number }[] = []
  for (const folder of await readdir(reposDir)) {
    const name = folder.replace(/\.git$/, '')
    if (name === folder || !NAME.test(name)) continue
    // The repository may be deleted in the meantime.
    const files = await readdir(join(reposDir, folder, 'objects/pack')).catch(() => [])
    const count = files.filter((file) => file.endsWith('.pack')).length
    if (count > packs) crowded.push({ name, count })
  }
  return crowded.sort((a, b) => b.count - a.count).map(({ name }) => name)
}
