// Loads a program and answers calls with data. Frames on descriptor 3: four bytes of length, then JSON.
'use strict';
(() => {
  const fs = require('fs');
  const path = require('path');
  const vm = require('vm');
  const { createRequire } = require('module');
  const { inspect } = require('util');
  const { readSync, writeSync, readFileSync } = fs;
  const { parse, stringify } = JSON;
  const { isArray } = Array;
  const { keys, getPrototypeOf } = Object;
  const { isSafeInteger } = Number;
  const { MAX_SAFE_INTEGER } = Number;
  const exit = process.reallyExit.bind(process);
  const most = 1000000;

  const again = (call) => {
    for (;;) {
      try {
        return call();
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
  };
  const take = (size) => {
    const bytes = Buffer.alloc(size);
    let at = 0;
    while (at < size) {
      const count = again(() => readSync(3, bytes, at, size - at, null));
      if (count === 0) exit(0);
      at += count;
    }
    return bytes;
  };
  const receive = () => parse(take(take(4).readUInt32BE(0)).toString('utf8'));
  const send = (message) => {
    const text = Buffer.from(stringify(message));
    const head = Buffer.alloc(4);
    head.writeUInt32BE(text.length, 0);
    let rest = Buffer.concat([head, text]);
    while (rest.length > 0) {
      const part = rest;
      rest = rest.subarray(again(() => writeSync(3, part)));
    }
  };

  // A list is a list, an object its list of pairs, and what JSON has no word for says what it is.
  const encode = (value) => {
    let count = 0;
    const above = new Set();
    const one = (value) => {
      count += 1;
      if (count > most) return { is: 'too large' };
      switch (typeof value) {
        case 'boolean':
        case 'string':
          return value;
        case 'number':
          return Number.isFinite(value) ? value : { is: String(value) };
        case 'bigint':
          return { is: 'integer', digits: String(value) };
        case 'object':
          break;
        default:
          return { is: typeof value };
      }
      if (value === null) return null;
      if (above.has(value)) return { is: 'cycle' };
      above.add(value);
      try {
        if (isArray(value)) {
          const list = [];
          for (let at = 0; at < value.length; at += 1) list.push(one(value[at]));
          return list;
        }
        const prototype = getPrototypeOf(value);
        if (prototype !== null && prototype !== Object.prototype) return { is: 'other' };
        return { pairs: keys(value).map((key) => [key, one(value[key])]) };
      } finally {
        above.delete(value);
      }
    };
    return one(value);
  };
  const decode = (value) => {
    if (isArray(value)) return value.map(decode);
    if (value === null || typeof value !== 'object') return value;
    const names = keys(value);
    if (names.length === 1 && names[0] === '$int') {
      const large = BigInt(value.$int);
      return large <= MAX_SAFE_INTEGER && large >= -MAX_SAFE_INTEGER ? Number(large) : large;
    }
    return Object.fromEntries(names.map((name) => [name, decode(value[name])]));
  };
  const shown = (value) => {
    try {
      return inspect(value, { depth: 20, breakLength: 100, maxArrayLength: 1000, maxStringLength: 10000 });
    } catch {
      return 'a value that can\'t be shown';
    }
  };
  const told = (error) => {
    const text = error instanceof Error && error.stack ? String(error.stack) : 'thrown: ' + shown(error);
    return text.split('\n').filter((line) => !/^ *at .*(node:|driver\.js)/.test(line)).join('\n');
  };

  const start = receive();
  const source = start.path === undefined ? start.source : readFileSync(start.path, 'utf8');
  const name = path.resolve('solution.js');
  const holder = { exports: {} };
  let find;
  try {
    const names = ['exports', 'require', 'module', '__filename', '__dirname'];
    const load = vm.compileFunction(source + '\n;return (name) => eval(name);', names, { filename: name });
    find = load(holder.exports, createRequire(name), holder, name, path.dirname(name));
  } catch (error) {
    send({ raised: told(error), compile: find === undefined && error instanceof SyntaxError });
    exit(0);
  }
  const callee = (entry) => {
    const [first, method] = entry.split('.');
    let found;
    try {
      found = find(first);
    } catch (error) {
      found = holder.exports[first];
      if (found === undefined) throw error;
    }
    if (method === undefined) return found;
    const object = new found();
    return (...args) => object[method](...args);
  };
  const call = receive();
  const answer = (value) => {
    send({ value: encode(value), shown: shown(value) });
    exit(0);
  };
  const raise = (error) => {
    send({ raised: told(error), compile: false });
    exit(0);
  };
  process.on('uncaughtException', raise);
  try {
    const result = callee(call.entry)(...decode(call.args));
    if (result !== null && typeof result === 'object' && typeof result.then === 'function') {
      result.then(answer, raise);
    } else {
      answer(result);
    }
  } catch (error) {
    raise(error);
  }
})();
