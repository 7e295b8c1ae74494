/**
 * Example requests for the operations that need more than a path. The OpenAPI document shows them, and the tests send
 * them to a running service.
 * A name in braces, such as `{spaceId}`, stands for the ID of one of your resources.
 */
export interface Example {
  body?: unknown
  query?: Readonly<Record<string, string>>
}

const markdown = '# Install\n\nRun `npm install`.\n'
const insertPage = { changes: [{ operation: 'insert_page', title: 'Install', document: { markdown } }] }
const comment = { body: { markdown: 'Please explain **why**.' } }
const reaction = { addedReactions: ['👍'] }
const content = { url: '{sourceURL}', source: 'markdown' }
const remote = { url: '{repositoryURL}', ref: 'refs/heads/main' }
const grant = { role: 'edit', users: ['{userId}'] }
const destination = { kind: 'url', url: 'https://example.org/' }
const specification = { text: '{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{}}' }
const claims = { type: 'object', properties: { isBeta: { type: 'boolean' } }, additionalProperties: false }

const account: Record<string, Example> = {
  updateAuthenticatedUser: { body: { displayName: 'Ada Author' } },
  markUserNotifications: { body: { read: true } },
  updateUserSettings: { body: { notifications: { merges: { mail: true } }, singleKeys: false } },
  createUserToken: { body: { label: 'Nightly export', readOnly: true } },
  renderPage: { body: { markdown } },
  renderPageInChangeRequest: { body: { markdown } },
  renderPageInRevision: { body: { markdown } },
  requestSignInLink: { body: { email: 'ada@example.org' } },
}

const organizations: Record<string, Example> = {
  createOrganizationForAuthenticatedUser: { body: { title: 'Acme' } },
  updateOrganizationById: { body: { title: 'Acme' } },
  replaceAllowedSignersOfOrganization: {
    body: {
      signers:
        'ada@example.org ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFDYWOCYXsx/YEGKrwzFq1h/QsJXCohAlanozKzQ9lRc laptop\n',
    },
  },
  updateMemberInOrganizationById: { body: { role: 'edit' } },
  createOrganizationTeam: { body: { title: 'Writers' } },
  updateTeamInOrganizationById: { body: { title: 'Writers' } },
  updateMembersInOrganizationTeam: { body: { add: ['{userId}'] } },
  inviteUsersToOrganization: { body: { emails: ['grace@example.org'], role: 'edit' } },
  createLinkInviteInOrganization: { body: { role: 'read' } },
  updateLinkInviteInOrganizationById: { body: { role: 'comment' } },
  createOrganizationSAMLProvider: { body: { label: 'Acme sign-on' } },
  updateOrganizationSAMLProvider: { body: { label: 'Acme sign-on' } },
  createWebhookInOrganization: { body: { url: 'https://example.org/hooks', events: ['change_request.merged'] } },
  updateWebhookInOrganizationById: { body: { description: 'Rebuilds the search of our website' } },
  replayWebhookEvents: { body: { from: 1 } },
  searchOrganizationContent: { query: { query: 'install' } },
  createOpenAPISpec: { body: { slug: 'pets', source: specification } },
  createOrUpdateOpenAPISpecBySlug: { body: { source: specification } },
  updateOpenAPISpecVisibilityBySlug: { body: { visibility: 'public' } },
  createTranslationInOrganization: { body: { language: 'fr', source: { space: '{spaceId}', language: 'en' } } },
  updateTranslationById: { body: { automatic: { charactersPerMonth: 100_000 } } },
}

const spaces: Record<string, Example> = {
  createCollectionInOrganization: { body: { title: 'Guides' } },
  updateCollectionById: { body: { description: 'For people who install it' } },
  moveCollectionById: { body: { parent: '{parentCollectionId}' } },
  transferCollectionById: { body: { organization: '{organizationId}' } },
  inviteToCollection: { body: grant },
  updateUserPermissionInCollection: { body: { role: 'review' } },
  updateTeamPermissionInCollection: { body: { role: 'review' } },
  createSpaceInOrganization: { body: { title: 'Product docs' } },
  updateSpaceById: { body: { title: 'Product docs' } },
  moveSpaceById: { body: { parent: '{collectionId}' } },
  transferSpaceById: { body: { organization: '{organizationId}' } },
  inviteToSpace: { body: grant },
  updateUserPermissionInSpace: { body: { role: 'review' } },
  updateTeamPermissionInSpace: { body: { role: 'review' } },
  applyTemplateToSpace: { body: { id: 'changelog' } },
  searchSpaceContent: { query: { query: 'install' } },
  updateSpaceContent: { body: insertPage },
  updatePageSource: { body: { markdown } },
  changeFrontMatterOfText: { body: { markdown: '---\nhidden: true\n---\n', set: { description: 'First steps' } } },
  notePagePresence: { body: { editor: 'editor-of-ada', line: 3 } },
  rollBackSpace: { body: { revision: '{revisionId}' } },
  importContent: { body: content },
  importContentIntoPage: { body: content },
  importContentInChangeRequest: { body: content },
  importContentIntoPageInChangeRequest: { body: content },
  importGitRepository: { body: remote },
  exportToGitRepository: { body: { ...remote, ref: 'refs/heads/docs', commitMessage: 'Update the docs' } },
  previewGitSync: { body: { ...remote, direction: 'import' } },
  createConnection: { body: { ...remote, direction: 'import', paused: true } },
  updateConnection: { body: { commitMessage: 'Update the docs' } },
}

const reviews: Record<string, Example> = {
  createChangeRequestInSpace: {
    body: { subject: 'Explain the installation', description: 'Readers asked for **more steps**.' },
  },
  updateChangeRequestById: { body: { subject: 'Explain the installation' } },
  updateChangeRequestContent: { body: insertPage },
  getConflictFile: { query: { key: 'fresh.md' } },
  updatePageSourceInChangeRequest: { body: { markdown } },
  notePagePresenceInChangeRequest: { body: { editor: 'editor-of-ada', line: 3 } },
  submitChangeRequestReview: {
    body: { status: 'changes-requested', comment: { markdown: 'The second step is missing.' } },
  },
  requestReviewersForChangeRequest: { body: { users: ['{userId}'] } },
  markPageViewed: { body: { version: '{pageVersion}' } },
  postCommentInSpace: { body: comment },
  postCommentInChangeRequest: { body: comment },
  updateCommentInSpace: { body: reaction },
  updateCommentInChangeRequest: { body: reaction },
  postCommentReplyInSpace: { body: comment },
  postCommentReplyInChangeRequest: { body: comment },
  updateCommentReplyInSpace: { body: reaction },
  updateCommentReplyInChangeRequest: { body: reaction },
}

const sites: Record<string, Example> = {
  createSiteInOrganization: { body: { title: 'Acme docs', spaces: 'empty' } },
  updateSiteById: { body: { title: 'Acme docs' } },
  addSectionToSite: { body: { spaceId: '{spaceId}', title: 'Guides' } },
  updateSiteSectionById: { body: { title: 'Guides' } },
  addSectionGroupToSite: { body: { title: 'Products' } },
  updateSiteSectionGroupById: { body: { title: 'Products' } },
  addSectionToSiteSectionGroup: { body: { sectionId: '{siteSectionId}' } },
  addExternalLinkToSite: {
    body: { title: 'Status', target: 'https://example.org/status', sectionGroup: '{siteSectionGroupId}' },
  },
  updateSiteExternalLinkById: { body: { title: 'Status' } },
  sortSiteStructure: { body: { item: { type: 'site-section', id: '{siteSectionId}' } } },
  addSpaceToSite: { body: { spaceId: '{spaceId}' } },
  updateSiteSpaceById: { body: { path: 'guides' } },
  moveSiteSpace: { body: { position: { before: { type: 'site-space', siteSpace: '{otherSiteSpaceId}' } } } },
  createSiteShareLink: { body: { name: 'For partners' } },
  updateSiteShareLinkById: { body: { active: false } },
  createSiteRedirect: { body: { source: '/old', destination } },
  updateSiteRedirectById: { body: { source: '/older' } },
  previewSiteAsVisitor: { body: {} },
  updateSiteAdaptiveSchemaById: { body: { jsonSchema: claims } },
  updateSiteCustomizationDraft: { body: { title: 'Acme docs' } },
  updateSiteCustomizationById: { body: { title: 'Acme docs' } },
  updateSiteSpaceCustomizationById: { body: { title: 'Acme guides' } },
  updateSitePublishingAuthById: { body: { fallbackURL: '/login' } },
  inviteToSite: { body: grant },
  updateUserPermissionInSite: { body: { role: 'edit' } },
  updateTeamPermissionInSite: { body: { role: 'edit' } },
  searchPublishedSite: { query: { query: 'install' } },
}

/** By operationId. */
export const examples: Readonly<Record<string, Example>> = {
  ...account,
  ...organizations,
  ...spaces,
  ...reviews,
  ...sites,
}
