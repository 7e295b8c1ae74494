import type { Samples, SpecialSamples } from './samples.js'

/** A connection of a space to its own repository, which is always in step, with a run; and one to be deleted. */
export const connectionSamples: Samples = async (here, before) => {
  const { admin } = here
  const base = `/v1/spaces/${before.spaceId}/git/connections`
  const body = { url: `file://${here.dir}/repos/${before.spaceId}.git`, ref: 'refs/heads/main', direction: 'import' }
  const kept = (await admin.call('post', base, body).expect(201)).body
  const paused = (await admin.call('post', base, { ...body, ref: 'refs/heads/paused', paused: true }).expect(201)).body
  const run = (await admin.call('post', `${base}/${kept.id}/run`).expect(202)).body
  const parameters = { connectionId: kept.id as string, runId: run.id as string }
  const special: SpecialSamples = {
    createConnection: { body: { ...body, ref: 'refs/heads/other', paused: true }, success: true },
    updateConnection: { body: { commitMessage: 'Update the documents' }, success: true },
    pauseConnection: { success: true },
    resumeConnection: { success: true },
    testConnection: { success: true },
    deleteConnection: { parameters: { ...before, connectionId: paused.id as string }, success: true },
  }
  return { parameters, special }
}
