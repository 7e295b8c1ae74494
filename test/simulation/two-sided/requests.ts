import { Fault } from './fault.js'
import { judgeTarget, mainOf, type Target, targetOf } from './here.js'
import { expectFormerIds, expectReturnedIds } from './ids.js'
import { record } from './judge.js'
import { pageOf } from './knowledge.js'
import { pick, type Random } from './random.js'
import { heldRef, keepWritten, updateBranch } from './resolve.js'
import { snapshotOf, valueIn } from './snapshot.js'
import { meet } from './forced.js'
import {
  type Branch,
  branchRef,
  headHere,
  judgeHere,
  mendTwice,
  type Project,
  seeHere,
  why,
  type World,
} from './world.js'

// Change requests of people here.

export async function openRequest(world: World, project: Project): Promise<string | null> {
  if (project.branches.length >= 2) return null
  const { id, number } = await world.host.api.ask('POST', `${project.url}/change-requests`, {
    subject: `Step ${world.step}`,
  })
  project.branches.push({ id, number, knowledge: project.main.copy() })
  return `${project.name}: open change request ${number}`
}

/** Merges a branch into main, after an update if the merge alone is not clean. */
export async function mergeBranch(world: World, next: Random, target: Target): Promise<string> {
  const { project, at, ref, knowledge } = target
  const merge = async () => {
    await expectFormerIds(world, project, await seeHere(project, ref), at)
    return world.host.api.call('POST', `${project.url}${at}/merge`)
  }
  let said = ''
  let response = await merge()
  if (response.status === 409) {
    said = ` (${await updateBranch(world, next, target)})`
    response = await merge()
  }
  if (response.status !== 200)
    throw new Fault('response', `merge of ${project.url}${at}: ${response.status} ${response.text}`)
  await keepWritten(world, target, [])
  meet(project.main, knowledge, heldRef(target))
  return `merged${said}`
}

export async function mergeRequest(world: World, next: Random, project: Project): Promise<string | null> {
  const branch = pick(next, project.branches)
  if (!branch) return null
  const before = await headHere(project)
  const said = await mergeBranch(world, next, targetOf(project, branch))
  project.branches = project.branches.filter((one) => one !== branch)
  await judgeTarget(world, mainOf(project))
  project.merged.push({ id: branch.id, before, after: await headHere(project) })
  return `${project.name}: change request ${branch.number} ${said}`
}

export async function updateRequest(world: World, next: Random, project: Project): Promise<string | null> {
  const branch = pick(next, project.branches)
  if (!branch) return null
  return `${project.name}: change request ${branch.number} ${await updateBranch(world, next, targetOf(project, branch))}`
}

/** Opens the change request that reverts a merged one. It may only touch content that that one had changed. */
export async function revertRequest(world: World, next: Random, project: Project): Promise<string | null> {
  const merged = pick(next, project.merged.slice(-4))
  if (!merged || project.branches.length >= 3) return null
  const { status, body, text } = await world.host.api.call('POST', `${project.url}/change-requests/${merged.id}/revert`)
  if (status === 409) return `${project.name}: a revert that is not clean: ${text.slice(0, 200)}`
  if (status !== 201) throw new Fault('response', `revert of ${merged.id}: ${status} ${text}`)
  const branch: Branch = { id: body.id, number: body.number, knowledge: project.main.copy() }
  const [before, after] = await Promise.all(
    [merged.before, merged.after].map((commit) => snapshotOf(project.objects, commit)),
  )
  const main = await seeHere(project)
  // If the change request deleted a page that was restored elsewhere since, its revert restores the page at the old
  // place.
  await mendTwice(world, project, branchRef(branch.number), (page, paths) => {
    const places = [main.pages.get(page)?.path, after?.pages.has(page) ? undefined : before?.pages.get(page)?.path]
    return paths.every((path) => places.includes(path)) ? (places[0] ?? null) : null
  })
  const seen = await seeHere(project, branchRef(branch.number))
  record(branch.knowledge, seen, why(world, `the revert of a change request of ${project.name}`))
  for (const key of branch.knowledge.news(project.main)) {
    const changed = before && after && valueIn(before, key) !== valueIn(after, key)
    const page = before?.pages.get(pageOf(key))
    if (!changed && page && after?.pages.has(pageOf(key)))
      throw new Fault(
        'line back',
        `${project.name}: the revert of ${merged.id} changed ${key}: ${branch.knowledge.tell(key)}`,
      )
  }
  project.branches.push(branch)
  return `${project.name}: change request ${branch.number} reverts another`
}

/**
 * Main gets the content of an earlier revision. This restores content that was deleted since, and deletes newer
 * content.
 */
export async function rollback(world: World, next: Random, project: Project): Promise<string | null> {
  const revision = pick(next, project.heads.slice(-8, -1))
  if (!revision) return null
  const then = await snapshotOf(project.objects, revision)
  const before = await seeHere(project)
  const { status, text } = await world.host.api.call('POST', `${project.url}/rollback`, { revision })
  // A rollback to the present content is rejected without effect.
  if (status === 409 && before.tree === then.tree && before.commit === (await seeHere(project)).commit) return null
  if (status !== 200) throw new Fault('response', `rollback of ${project.url} to ${revision}: ${status} ${text}`)
  const seen = await seeHere(project)
  if (seen.tree !== then.tree) throw new Fault('bytes', `${project.name}: the rollback to ${revision} has another tree`)
  record(project.main, seen, why(world, 'a rollback here'))
  expectReturnedIds(project)
  await judgeHere(world, project)
  await judgeTarget(world, mainOf(project))
  return `${project.name}: rollback to ${revision.slice(0, 10)}`
}
