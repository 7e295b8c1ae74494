/** Finds repositories with many packs: each object that is looked for in vain is looked for in all of them. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { NAME } from './paths.js'

/** The names of the repositories of a folder that have more packs than that, the one with the most first. */
export async function crowdedRepositories(reposDir: string, packs: number): Promise<string[]> {
  const crowded: { name: string; count: number }[] = []
  for (const folder of await readdir(reposDir)) {
    const name = folder.replace(/\.git$/, '')
    if (name === folder || !NAME.test(name)) continue
    // It may be deleted meanwhile.
    const files = await readdir(join(reposDir, folder, 'objects/pack')).catch(() => [])
    const count = files.filter((file) => file.endsWith('.pack')).length
    if (count > packs) crowded.push({ name, count })
  }
  return crowded.sort((a, b) => b.count - a.count).map(({ name }) => name)
}
