import { judgeTarget, mainOf } from './here.js'
import type { HostKind } from './host.js'
import { record } from './judge.js'
import { recordThere } from './people.js'
import { freshPage } from './plans.js'
import type { Random } from './random.js'
import { sync } from './sync.js'
import { addProject, headThere, MAIN, openWorld, seeHere, seeThere, why, type World } from './world.js'

/** The start of a story, chosen by its seed. */
export type Shape = 'adopted' | 'exported' | 'folder' | 'two folders'

export const shapeOf = (seed: number): Shape =>
  (['adopted', 'folder', 'adopted', 'two folders', 'exported'] as const)[seed % 5] as Shape
/** The server of every seventh story runs in its own process, which is killed from time to time. */
export const isApart = (seed: number): boolean => seed % 7 === 0

function firstFiles(world: World, next: Random): Record<string, string> {
  const files: Record<string, string> = {
    'odd.md': '\ufeffNo heading \t\n\n| a |b|\n|-|--|\n* x\n- y   \n\n\n\n',
    LICENSE: 'Free.\r\n',
    '.gitbook/assets/image (1) (1).svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    '.gitbook.yaml': '# nothing to say\n',
  }
  let summary = '# Table of contents\n\n'
  const add = (folder: string, name: string | null, indent: string): void => {
    const { page, title, text } = freshPage(world, next)
    const path = `${folder}${name ?? page}.md`
    files[path] = text
    summary += `${indent}* [${title}](${path})\n`
  }
  add('', 'README', '')
  for (const area of ['one/', 'two/']) {
    add(area, 'README', '')
    for (let n = 0; n < 4; n++) add(area, null, '  ')
  }
  for (let n = 0; n < 3; n++) add('', null, '')
  return { ...files, 'SUMMARY.md': `${summary}* [Site](https://example.org)\n` }
}

/** A world whose spaces are connected to the remote and up to date. */
export async function begin(seed: number, next: Random, kind: HostKind, without: ReadonlySet<string>): Promise<World> {
  const world = await openWorld(kind, without)
  const shape = shapeOf(seed)
  const folders = { adopted: [''], exported: [''], folder: ['docs'], 'two folders': ['docs/one', 'docs/two'] }[shape]
  for (const folder of folders) await addProject(world, folder || 'space', folder)
  const { projects } = world
  if (shape === 'exported') {
    const project = projects[0] as (typeof projects)[number]
    await project.objects.commit(MAIN, firstFiles(world, next), 'Begin', world.clock.seconds)
    const seen = await seeHere(project)
    project.statics = new Map(seen.others)
    record(project.main, seen, why(world, 'the beginning'))
    await judgeTarget(world, mainOf(project))
    await sync(world, project, 'export', MAIN)
    return world
  }
  const files: Record<string, string> = shape === 'adopted' ? {} : { 'README.md': '# Code\n', 'src/code.c': 'int x;\n' }
  for (const folder of folders)
    for (const [path, text] of Object.entries(firstFiles(world, next)))
      files[folder === '' ? path : `${folder}/${path}`] = text
  await world.remote.commit(files, { message: 'Begin' })
  world.past.set(MAIN, [headThere(world, MAIN) as string])
  await recordThere(world, MAIN, 'the beginning')
  for (const project of projects) {
    project.statics = new Map((await seeThere(world, project, headThere(world, MAIN) as string)).others)
    await sync(world, project, 'import', MAIN)
  }
  return world
}
