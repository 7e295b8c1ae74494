import { Fault } from './fault.js'
import type { Random } from './random.js'
import { repositoryIn } from './repository.js'
import { resolveHeld, sync } from './sync.js'
import {
  DOCS,
  headHere,
  headThere,
  judgeThere,
  MAIN,
  type Project,
  type Ref,
  seeHere,
  seeThere,
  type World,
} from './world.js'

/** Imports, resolves and exports until both sides have the same content. */
async function meet(world: World, next: Random, project: Project, ref: Ref): Promise<void> {
  for (let round = 0; round < 8; round++) {
    await resolveHeld(world, next, project, ref)
    await sync(world, project, 'import', ref)
    if (project.held.has(ref)) continue
    await sync(world, project, 'export', ref)
    if (project.held.has(ref)) continue
    const [here, there] = [await seeHere(project), await seeThere(world, project, headThere(world, ref) as string)]
    if (here.tree === there.tree) return
  }
  throw new Fault('not in step', `${project.name}: after eight rounds ${ref} of the remote is not what main is here`)
}

/** Both sides end up with the same content, and another sync reports that there is nothing to do. */
export async function converge(world: World, next: Random): Promise<string> {
  for (const project of world.projects) {
    if (headThere(world, DOCS)) await meet(world, next, project, DOCS)
    await meet(world, next, project, MAIN)
    const [here, there] = [await headHere(project), headThere(world, MAIN)]
    await sync(world, project, 'import', MAIN)
    await sync(world, project, 'export', MAIN)
    if (here !== (await headHere(project)) || there !== headThere(world, MAIN))
      throw new Fault('not in step', `${project.name}: in step, and yet an import or export had something to do`)
  }
  for (const project of world.projects) {
    await judgeThere(world, project, MAIN)
    if ((await seeHere(project)).tree !== (await seeThere(world, project, headThere(world, MAIN) as string)).tree)
      throw new Fault('not in step', `${project.name}: main here and ${MAIN} there differ at the end`)
  }
  return 'both sides in step'
}

/** Git finds nothing wrong on either side. */
export async function checkRepositories(world: World): Promise<void> {
  for (const one of [repositoryIn(world.remote.path), ...world.projects.map(({ objects }) => objects)])
    await one.check().catch((error: unknown) => {
      throw new Fault('fsck', String(error))
    })
}
