import { resolve } from 'node:path'
import * as assert from 'uvu/assert'
import { ConfigError, loadConfig, settingsTable } from '../../src/config.js'
import { suite } from '../support/suite.js'

const test = suite('config')

test('default settings are safe and every setting is described', () => {
  const config = loadConfig({})
  assert.is(config.host, '127.0.0.1')
  assert.is(config.publicUrl, null)
  assert.equal(config.remoteProtocols, ['https', 'ssh'])
  assert.is(config.allowPrivateNetworks, false)
  for (const row of settingsTable())
    assert.match(`${row.name} ${row.description}`, /^(?:BINDERY_[A-Z_]+|OTEL_EXPORTER_OTLP_ENDPOINT) .{10,}/)
})

test('folder settings become absolute, because Git processes run elsewhere', () => {
  const { dataDir, reposDir } = loadConfig({ BINDERY_REPOS_DIR: 'some/repos' })
  assert.equal([dataDir, reposDir], [resolve('data'), resolve('some/repos')])
})

test('setting values are parsed to their types', () => {
  const config = loadConfig({
    BINDERY_ALLOW_PRIVATE_NETWORKS: '10.0.0.0/8, ::1',
    BINDERY_PUBLIC_URL: 'https://docs.example.org/',
    BINDERY_CORS_ORIGINS: '',
    BINDERY_PORT: '0',
  })
  assert.equal(config.allowPrivateNetworks, ['10.0.0.0/8', '::1/128'])
  assert.is(config.publicUrl, 'https://docs.example.org')
  assert.equal(config.corsOrigins, [])
  assert.is(config.port, 0)
})

test('all configuration errors are reported at once, and never the value', () => {
  try {
    loadConfig({
      BINDERY_PORT: '99999',
      BINDERY_ADMIN_TOKEN: 'hunter2',
      BINDERY_REMOTE_PROTOCOLS: 'ftp',
      BINDERY_PROT: '1',
      BINDERY_PUBLIC_URL: 'https://x/y',
    })
    assert.unreachable()
  } catch (error) {
    assert.instance(error, ConfigError)
    const { message } = error as Error
    for (const name of ['PORT', 'ADMIN_TOKEN', 'REMOTE_PROTOCOLS', 'PROT', 'PUBLIC_URL'])
      assert.match(message, new RegExp(`BINDERY_${name} `))
    assert.not.match(message, /hunter2/)
  }
})

test.run()
