#!/usr/bin/env node
// Starts the lspi of the package for this system. Where node can become another program (process.execve, 22.15 and later, not on Windows)
// it does, so that the process of the host is lspi itself; else it hands over stdio, signals and the exit code.
'use strict'

const name = `${require('../package.json').name}-${process.platform}-${process.arch}`
let program
try {
  program = require.resolve(`${name}/bin/lspi${process.platform === 'win32' ? '.exe' : ''}`)
} catch {
  console.error(`lspi: the package ${name} is not installed. It is an optional dependency of lspi: install again without --omit=optional;` +
    ' where there is no such package lspi has no program for this system, and can be built from source.')
  process.exit(1)
}

if (process.platform !== 'win32' && typeof process.execve === 'function') {
  process.removeAllListeners('warning') // execve is experimental
  process.execve(program, [program, ...process.argv.slice(2)], process.env)
}

const child = require('child_process').spawn(program, process.argv.slice(2), { stdio: 'inherit', windowsHide: true })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}
child.on('error', (err) => {
  console.error(`lspi: starting ${program}: ${err.message}`)
  process.exit(1)
})
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code)
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
})
