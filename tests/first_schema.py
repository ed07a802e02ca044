"""Accounts of the past."""

from __future__ import annotations

FIRST = """
CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL PRIMARY KEY);
INSERT INTO alembic_version VALUES ('1');
CREATE TABLE users (id VARCHAR(12) NOT NULL, name VARCHAR(24) NOT NULL, kind VARCHAR(6) NOT NULL,
    created BIGINT NOT NULL, PRIMARY KEY (id));
CREATE UNIQUE INDEX users_by_name ON users (lower(name));
CREATE TABLE tokens (hash BLOB NOT NULL, user VARCHAR(12) NOT NULL, created BIGINT NOT NULL,
    PRIMARY KEY (hash), FOREIGN KEY(user) REFERENCES users (id));
CREATE INDEX tokens_by_user ON tokens (user);
INSERT INTO users VALUES ('abcdefghijkl', 'Ada', 'guest', 1), ('mnopqrstuvwx', 'Red', 'bot', 2);
"""
"""A file as the first version of the schema made it."""
