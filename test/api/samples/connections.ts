import type { CommitId } from '../../../src/kernel/ids.js'
import { previewId, pullPreviews } from '../../../src/model/index.js'
import type { Samples, SpecialSamples } from './samples.js'

/** A connection of a space to its own repository, with a run, paused afterwards; and one to delete. */
export const connectionSamples: Samples = async (here, before) => {
  const { admin } = here
  const base = `/v1/spaces/${before.spaceId}/git/connections`
  const body = { url: `file://${here.dir}/repos/${before.spaceId}.git`, ref: 'refs/heads/main', direction: 'import' }
  const kept = (await admin.call('post', base, body).expect(201)).body
  const paused = (await admin.call('post', base, { ...body, ref: 'refs/heads/paused', paused: true }).expect(201)).body
  const { body: request } = await admin
    .call('post', `/v1/spaces/${before.spaceId}/change-requests`, { subject: 'Exported' })
    .expect(201)
  const changes = [{ operation: 'insert_page', title: 'Exported', document: { markdown: 'Words.' } }]
  const changeRequest = `/v1/spaces/${before.spaceId}/change-requests/${request.id}`
  await admin.call('post', `${changeRequest}/content`, { changes }).expect(200)
  const host = {
    url: 'http://127.0.0.1:1/acme/docs.git',
    provider: 'github',
    credential: { kind: 'token', token: 'none' },
    pullRequests: { changeRequests: true },
  }
  await admin.call('post', base, { ...body, ...host }).expect(201)
  await admin.call('post', `${changeRequest}/git/pull-request`, {}).expect(202)
  const exported = { parameters: { ...before, changeRequestId: request.id as string } }
  const run = (await admin.call('post', `${base}/${kept.id}/run`).expect(202)).body
  // Paused once its run has ended: a driver that finds new commits from other probes would add runs between two pages
  // of a list.
  await here.service.idle()
  await admin.call('post', `${base}/${kept.id}/pause`).expect(200)
  await here.service.app.store.insert(pullPreviews, {
    id: previewId(kept.id, 7),
    connection: kept.id,
    space: before.spaceId as string,
    key: 'none',
    number: 7,
    title: 'Better words',
    author: 'ann',
    url: 'http://127.0.0.1:1/acme/docs/pull/7',
    head: { ref: 'better', repository: 'ann/docs' },
    commit: 'a'.repeat(40) as CommitId,
    state: 'ready',
    revision: before.revisionId as CommitId,
    baseRevision: before.revisionId as CommitId,
    problems: [{ code: 'broken-link', message: 'The link to gone.md is broken.', file: 'a.md', line: 3, fails: true }],
    counts: { all: 2, failing: 1 },
    status: {
      commit: 'a'.repeat(40) as CommitId,
      state: 'failure',
      description: '1 new problem',
      at: '2026-05-01T10:00:00.000Z',
    },
    createdAt: '2026-05-01T10:00:00.000Z',
    updatedAt: '2026-05-01T10:00:00.000Z',
  })
  const parameters = { connectionId: kept.id as string, runId: run.id as string, pullRequestNumber: '7' }
  const special: SpecialSamples = {
    pauseConnection: { success: true },
    testConnection: { success: true },
    exportChangeRequest: { ...exported, body: {}, success: true },
    getChangeRequestExport: exported,
    deleteConnection: { parameters: { ...before, connectionId: paused.id as string }, success: true },
  }
  return { parameters, special }
}
