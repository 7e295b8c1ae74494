import type { Samples, SpecialSamples } from './samples.js'

/** Organizations, spaces, content, change requests and revisions. Endpoints that use them up get new ones. */
export const contentSamples: Samples = async (here) => {
  const { admin, organization } = here
  const made = async (path: string, body?: object) => (await admin.call('post', path, body).expect(201)).body
  const space = (await made(`/v1/orgs/${organization}/spaces`, { title: 'Probe', template: 'sample' })).id as string
  const spare = (await made(`/v1/orgs/${organization}/spaces`, { title: 'Spare' })).id as string
  const deleted = (await made(`/v1/orgs/${organization}/spaces`, { title: 'Deleted' })).id as string
  await admin.call('delete', `/v1/spaces/${deleted}`).expect(204)
  const purged = (await made(`/v1/orgs/${organization}/spaces`, { title: 'Purged' })).id as string
  await admin.call('delete', `/v1/spaces/${purged}`).expect(204)
  const token = (await made('/v1/user/tokens', { label: 'probe' })).id as string
  const changes = [
    { operation: 'insert_files', files: [{ name: 'a.txt', base64: 'YQ==', ref: 'a' }] },
    { operation: 'upsert_reusable_content', title: 'Shared', document: { markdown: 'Shared.' } },
  ]
  await admin.call('post', `/v1/spaces/${space}/content`, { changes }).expect(200)
  const fresh = [{ operation: 'insert_page', title: 'Fresh', document: { markdown: 'Fresh.' } }]
  const merged = (await made(`/v1/spaces/${space}/change-requests`, { subject: 'Merged' })).id as string
  await admin.call('post', `/v1/spaces/${space}/change-requests/${merged}/content`, { changes: fresh }).expect(200)
  await admin.call('post', `/v1/spaces/${space}/change-requests/${merged}/merge`).expect(200)
  const rolled = (await made(`/v1/orgs/${organization}/spaces`, { title: 'Rolled back' })).id as string
  const first = (await admin.call('get', `/v1/spaces/${rolled}`).expect(200)).body.revision as string
  await admin.call('post', `/v1/spaces/${rolled}/content`, { changes: fresh }).expect(200)
  const revision = (await admin.call('get', `/v1/spaces/${space}/content`).expect(200)).body
  const changeRequest = (await made(`/v1/spaces/${space}/change-requests`, { subject: 'Probe' })).id as string
  const page = revision.pages[0].id as string
  const source = { url: `${here.url}/healthz`, source: 'markdown' }
  const imported = (await made(`/v1/spaces/${rolled}/content/import`, source)).import as string
  const parameters = {
    userId: admin.user,
    tokenId: token,
    memberTokenId: token,
    organizationId: organization,
    spaceId: space,
    changeRequestId: changeRequest,
    revisionId: revision.id,
    pageId: page,
    importId: imported,
    pagePath: revision.pages[0].path,
    sourceURL: source.url,
    repositoryURL: `file://${here.dir}/repos/${rolled}.git`,
    fileId: revision.files[0].id,
    reusableContentId: revision.reusableContents[0].id,
  }
  // Their own space: its runs must not change the lists of other probes.
  const synced = {
    parameters: {
      ...parameters,
      spaceId: (await made(`/v1/orgs/${organization}/spaces`, { title: 'Synced' })).id as string,
    },
  }
  const crossing = (await made(`/v1/orgs/${organization}/spaces`, { title: 'Crossing' })).id as string
  const crossed = (await made(`/v1/spaces/${crossing}/change-requests`, { subject: 'Crossing' })).id as string
  const other = [{ operation: 'insert_page', title: 'Fresh', document: { markdown: 'Other.' } }]
  await admin.call('post', `/v1/spaces/${crossing}/change-requests/${crossed}/content`, { changes: fresh }).expect(200)
  await admin.call('post', `/v1/spaces/${crossing}/content`, { changes: other }).expect(200)
  const special: SpecialSamples = {
    getConflictFile: { parameters: { ...parameters, spaceId: crossing, changeRequestId: crossed } },
    deleteSpaceById: { parameters: { ...parameters, spaceId: spare }, success: true },
    restoreSpaceById: { parameters: { ...parameters, spaceId: deleted }, success: true },
    purgeSpaceById: { parameters: { ...parameters, spaceId: purged }, success: true },
    duplicateSpaceById: { success: true },
    rollBackSpace: { parameters: { ...parameters, spaceId: rolled, revisionId: first } },
    revertChangeRequestById: { parameters: { ...parameters, changeRequestId: merged }, success: true },
    getContentImport: { parameters: { ...parameters, spaceId: rolled, importId: imported } },
    importGitRepository: { ...synced, success: false },
    exportToGitRepository: { ...synced, success: false },
    previewGitSync: { ...synced, success: false },
    // Its URL is signed. It is tested with the URLs that the service returns.
    downloadFile: null,
    downloadPDF: null,
  }
  return { parameters, special }
}
